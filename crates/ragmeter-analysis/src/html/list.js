"use strict";
// The list of all cases: search, filters, order. Only the rows in sight are in the document.
// Everything from the data becomes text, never markup.
(() => {
  const section = document.getElementById("list");
  const source = document.getElementById("all-cases");
  if (!section || !source) return;
  const data = JSON.parse(source.textContent);
  const words = data.words;
  const box = section.querySelector(".explorer");
  const view = section.querySelector(".rows-view");
  const table = section.querySelector(".rows-table");
  const count = section.querySelector(".count");
  const field = (name) => box.querySelector(`[name="${name}"]`);
  const phone = matchMedia("(max-width: 46rem)");
  const SIGNS = ["∅", "!", "✗", "?"];
  const NUMBERS = new Intl.NumberFormat(data.lang);
  const SCORES = new Intl.NumberFormat(data.lang, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const texts = data.cases.map((row) =>
    [row[0], row[1], ...row[2].map((tag) => data.tags[tag])].join(" ").toLocaleLowerCase());

  // A record's score in the chosen metric, in thousandths; negative: why there is none.
  const scoreOf = (record, metric) => {
    if (!record) return -3;
    if (metric >= 0) return record[metric];
    let sum = 0, n = 0, why = -3;
    for (const index of data.main) {
      const value = record[index];
      if (value < 0) { why = value; continue; }
      sum += data.lowerIsBetter[index] ? 1000 - value : value;
      n += 1;
    }
    return n ? sum / n : why;
  };
  const marksOf = (record) => record ? record[record.length - 1] : 0;

  const claimsFit = (record, wanted) => {
    const marks = marksOf(record);
    if (wanted === "contradicted") return (marks & 4) !== 0;
    if (wanted === "absent") return (marks & 8) !== 0;
    return wanted !== "supported" || ((marks & 16) !== 0 && (marks & 12) === 0);
  };
  const failureFits = (record, wanted, metric) => {
    const marks = marksOf(record);
    const scores = record ? record.slice(0, -1) : [-3];
    const looked = metric >= 0 ? [scores[metric] ?? -3] : scores;
    const failed = looked.some((value) => value < -1);
    if (wanted === "failed") return failed;
    if (wanted === "error") return (marks & 2) !== 0;
    if (wanted === "refusal") return (marks & 1) !== 0;
    return wanted !== "none" || (!failed && (marks & 3) === 0);
  };

  let shown = [];
  let metric = -1;

  const find = () => {
    const number = (name, otherwise) => {
      const value = parseFloat(field(name).value.replace(",", "."));
      return Number.isFinite(value) ? value * 1000 : otherwise;
    };
    const asked = field("text").value.trim().toLocaleLowerCase().split(/\s+/).filter(Boolean);
    metric = Number(field("metric").value);
    const system = Number(field("system").value);
    const low = number("low", -Infinity), high = number("high", Infinity);
    const ranged = low > -Infinity || high < Infinity;
    const claims = field("claims").value, failure = field("failure").value;
    const tag = field("tag") ? Number(field("tag").value) : -1;
    const fits = (record) => {
      const score = scoreOf(record, metric);
      // A half of the last shown digit: what reads as 0.50 is found by 0.50.
      return (!ranged || (score >= 0 && score >= low - 0.5 && score <= high + 0.5))
        && claimsFit(record, claims) && failureFits(record, failure, metric);
    };
    const filtered = ranged || claims || failure || system >= 0;
    shown = [];
    data.cases.forEach((row, index) => {
      if (asked.some((word) => !texts[index].includes(word))) return;
      if (tag >= 0 && !row[2].includes(tag)) return;
      if (filtered) {
        const records = system >= 0 ? [row[4 + system]] : row.slice(4);
        if (!records.some(fits)) return;
      }
      shown.push(index);
    });
    order(field("sort").value, system);
    const total = NUMBERS.format(data.cases.length);
    count.textContent = shown.length
      ? words.found.replace("{n}", NUMBERS.format(shown.length)).replace("{all}", total) : words.nothing;
    view.scrollTop = 0;
    head();
    draw(true);
  };

  const order = (how, system) => {
    if (!how) return;
    const key = (index) => {
      const records = system >= 0 && how !== "apart"
        ? [data.cases[index][4 + system]] : data.cases[index].slice(4);
      const scores = records.map((record) => scoreOf(record, metric)).filter((score) => score >= 0);
      if (!scores.length) return Infinity;
      const [low, high] = [Math.min(...scores), Math.max(...scores)];
      return how === "apart" ? low - high : how === "high" ? -high : low;
    };
    const keys = new Map(shown.map((index) => [index, key(index)]));
    shown.sort((left, right) => {
      const [a, b] = [keys.get(left), keys.get(right)];
      return a === b ? left - right : a - b;
    });
  };

  const make = (tag, kind, text, role) => {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = text;
    if (role) element.setAttribute("role", role);
    return element;
  };
  const header = make("div", "list-row list-head", undefined, "row");
  const headGroup = make("div", "list-heads", undefined, "rowgroup");
  const body = make("div", "list-body", undefined, "rowgroup");
  headGroup.append(header);
  table.append(headGroup, body);

  const head = () => {
    header.replaceChildren(
      make("span", "list-id", words.case, "columnheader"),
      make("span", "list-question", words.question, "columnheader"),
      ...data.systems.map((name) => make("span", "list-score", name, "columnheader")),
      make("span", "list-marks", words.marks, "columnheader"),
    );
    table.style.setProperty("--systems", data.systems.length);
    table.setAttribute("aria-rowcount", shown.length + 1);
    header.setAttribute("aria-rowindex", 1);
  };

  const cellOf = (name, record) => {
    const cell = make("span", "list-score", undefined, "cell");
    const score = scoreOf(record, metric);
    const text = score >= 0 ? SCORES.format(score / 1000)
      : score === -1 ? words.notApplicable : score === -2 ? words.failed : words.notMeasured;
    const turned = metric >= 0 && data.lowerIsBetter[metric] ? 1000 - score : score;
    const level = score < 0 ? "open" : turned >= 750 ? "good" : turned <= 250 ? "bad" : "warn";
    cell.append(make("span", "list-of", name), make("span", `chip ${level}`, text));
    return cell;
  };

  const line = (place, height) => {
    const row = data.cases[shown[place]];
    const element = make("div", "list-row", undefined, "row");
    element.style.top = `${place * height}px`;
    element.style.height = `${height}px`;
    element.setAttribute("aria-rowindex", place + 2);
    const id = make("span", "list-id", undefined, "cell");
    if (row[3]) {
      const link = make("a", "", row[0]);
      link.href = `#${row[3]}`;
      id.append(link);
    } else id.textContent = row[0];
    const question = make("span", "list-question", row[1], "cell");
    question.dir = "auto";
    question.title = row[1];
    const records = row.slice(4);
    const marks = make("span", "list-marks", undefined, "cell");
    SIGNS.forEach((sign, bit) => {
      if (!records.some((record) => marksOf(record) & (1 << bit))) return;
      const mark = make("span", `sign sign-${bit}`, sign, "img");
      mark.title = words.marksOf[bit];
      mark.setAttribute("aria-label", words.marksOf[bit]);
      marks.append(mark);
    });
    element.append(id, question, ...records.map((record, at) => cellOf(data.systems[at], record)), marks);
    return element;
  };

  let drawn = "";
  const draw = (anew) => {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    // On a phone the scores stand two abreast under the question.
    const height = Math.round(rem * (phone.matches ? 3.6 + 1.75 * Math.ceil(data.systems.length / 2) : 2.5));
    const first = Math.max(0, Math.floor(view.scrollTop / height) - 6);
    const last = Math.min(shown.length, Math.ceil((view.scrollTop + view.clientHeight) / height) + 6);
    const now = `${first} ${last} ${height}`;
    if (!anew && now === drawn) return;
    drawn = now;
    body.style.height = `${shown.length * height}px`;
    const rows = [];
    for (let place = first; place < last; place += 1) rows.push(line(place, height));
    body.replaceChildren(...rows);
  };

  // A link into a folded case opens what it lies in.
  const unfold = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView();
  };

  const inputs = [...box.querySelectorAll("input, select")];
  inputs.forEach((input) => input.addEventListener("input", find));
  box.querySelector("button").addEventListener("click", () => {
    inputs.forEach((input) => { if (input.tagName === "SELECT") input.selectedIndex = 0; else input.value = ""; });
    find();
  });
  view.addEventListener("scroll", () => requestAnimationFrame(() => draw(false)), { passive: true });
  addEventListener("resize", () => draw(false));
  addEventListener("hashchange", unfold);
  section.querySelector(".without-script").hidden = true;
  box.hidden = false;
  find();
  if (location.hash) unfold();
})();
