// Looks at reports in a real browser, in every state, with axe-core.
//
//   npm install --no-save axe-core puppeteer-core      (in any folder outside the repository)
//   NODE_PATH=FOLDER/node_modules node scripts/axe.mjs report-en.html report-ru.html [--shots DIR]
//
// Every page is opened light and dark, 1280 and 390 px wide, with and without scripts, and as it is
// printed; each time as it opens and with everything unfolded. It ends with 1 if axe finds a fault
// that is serious or critical; lesser ones are printed. With --shots a picture of each state is
// kept. CHROMIUM names the browser, `chromium` if it is not set. Not part of CI: it needs a browser.
import { createRequire } from "node:module";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(path.join(process.env.NODE_PATH ?? process.cwd(), "x.js"));
const puppeteer = require("puppeteer-core");
const axe = require("axe-core").source;

const args = process.argv.slice(2);
const at = args.indexOf("--shots");
const shots = at >= 0 ? args.splice(at, 2)[1] : undefined;
if (!args.length) throw new Error("name the reports to look at");
if (shots) mkdirSync(shots, { recursive: true });

const SCHEMES = ["light", "dark"];
const STATES = [
  ...SCHEMES.flatMap((scheme) => [1280, 390].map((width) => ({ scheme, width, scripts: true }))),
  { scheme: "light", width: 1280, scripts: false },
  { scheme: "light", width: 1280, scripts: true, print: true },
  { scheme: "dark", width: 1280, scripts: true, print: true },
];

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  userDataDir: mkdtempSync(path.join(tmpdir(), "axe-")),
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run"],
});
let serious = 0;
for (const file of args) {
  for (const state of STATES) {
    for (const unfolded of [false, true]) {
      const page = await browser.newPage();
      await page.setViewport({ width: state.width, height: 1000 });
      await page.setJavaScriptEnabled(state.scripts);
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: state.scheme }]);
      if (state.print) await page.emulateMediaType("print");
      const problems = [];
      page.on("pageerror", (error) => problems.push(String(error)));
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      await page.goto(pathToFileURL(path.resolve(file)).href, { waitUntil: "load" });
      // Loaded without scripts, the page stays as it is when axe needs them.
      await page.setJavaScriptEnabled(true);
      if (unfolded) {
        await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
      }
      const name = [path.basename(file, ".html"), state.scheme, state.width, state.scripts ? "" : "noscript",
        state.print ? "print" : "", unfolded ? "unfolded" : ""].filter(Boolean).join("-");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0 && !state.print) problems.push(`the page is ${wide} px wider than the window`);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      if (shots) {
        await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: !unfolded, captureBeyondViewport: true });
      }
      for (const { id, impact, nodes } of violations) {
        if (impact === "serious" || impact === "critical") serious += 1;
        console.log(`${name}: ${impact} ${id}, ${nodes.length} times: ${nodes[0].target} ${nodes[0].failureSummary ?? ""}`);
      }
      for (const problem of problems) {
        serious += 1;
        console.log(`${name}: ${problem}`);
      }
      if (!violations.length && !problems.length) console.log(`${name}: nothing found`);
      await page.close();
    }
  }
}
await browser.close();
console.log(serious ? `${serious} serious faults` : "no serious fault");
process.exitCode = serious ? 1 : 0;
