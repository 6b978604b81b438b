// How large a report is and how fast it opens, in a real browser.
//
//   npm install --no-save puppeteer-core               (in any folder outside the repository)
//   NODE_PATH=FOLDER/node_modules node scripts/report_load.mjs report.html
//
// Opens the file five times in a fresh browser page each and prints, as the median: milliseconds
// until it was loaded, until its list of cases could be used, for one search, and for one screenful
// of scrolling; then the size of the file and the number of elements. CHROMIUM names the browser.
import { createRequire } from "node:module";
import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(path.join(process.env.NODE_PATH ?? process.cwd(), "x.js"));
const puppeteer = require("puppeteer-core");
const file = process.argv[2];
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  userDataDir: mkdtempSync(path.join(tmpdir(), "load-")),
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run"],
});
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const all = [];
for (let time = 0; time < 5; time += 1) {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 1000 });
  await page.goto(pathToFileURL(path.resolve(file)).href, { waitUntil: "load" });
  all.push(await page.evaluate(async () => {
    const [timing] = performance.getEntriesByType("navigation");
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const timed = async (work) => {
      const start = performance.now();
      work();
      await frame();
      return performance.now() - start;
    };
    const view = document.querySelector(".rows-view");
    view.scrollIntoView();
    await frame();
    const text = document.querySelector('[name="text"]');
    const search = await timed(() => { text.value = "9"; text.dispatchEvent(new Event("input", { bubbles: true })); });
    const found = document.querySelector(".count").textContent;
    const scroll = await timed(() => { view.scrollTop = 20000; view.dispatchEvent(new Event("scroll")); });
    return {
      loaded: timing.loadEventEnd, usable: timing.domContentLoadedEventEnd, search, scroll, found,
      elements: document.querySelectorAll("*").length,
    };
  }));
  await page.close();
}
await browser.close();
for (const what of ["loaded", "usable", "search", "scroll"]) {
  console.log(`${what}: ${Math.round(median(all.map((one) => one[what])))} ms`);
}
console.log(`found: ${all[0].found}`);
console.log(`elements: ${all[0].elements}`);
console.log(`size: ${(statSync(file).size / 1e6).toFixed(2)} MB`);
