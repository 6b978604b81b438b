"""RAGAS 0.4.3 and ragmeter's profile `split`, asked about the same records with the same judge.

    pip install ragas==0.4.3 langchain-openai         (in an environment of its own)
    python scripts/ragas_conformance.py --binary target/debug/ragmeter [--records 25]
    python scripts/ragas_conformance.py --binary … --judge-url http://127.0.0.1:8080/v1 --model NAME --records 5

Without --judge-url the judge is `ragas_standin.py`: rules over the texts, the same for both tools, so that every
difference is a difference of the tools. With it chat goes to a real model; vectors stay the stand-in's. Records are
the planted ones (testdata/planted), --records of each language. Prints Markdown: how many records each tool scored,
the means, their difference, Pearson's correlation over records that both scored, how many records differ, and how
many still differ when RAGAS's formula is applied to our facts (`by_their_formula`); then each record that differs.
--work keeps the store and RAGAS's scores, so that an interrupted run with a slow model goes on.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import warnings

warnings.filterwarnings("ignore")
os.environ["OPENAI_API_KEY"] = "none"
os.environ["RAGAS_DO_NOT_TRACK"] = "true"

from ragas_standin import Judge, entities, serve

ROOT = pathlib.Path(__file__).parent.parent
PLAN = [("faithful", 9), ("hallucinating", 9), ("refusing", 3), ("world_true", 2), ("shuffled", 2)]
# Our name and the name that RAGAS gives the same metric.
METRICS = {
    "faithfulness": "faithfulness",
    "answer_relevancy": "answer_relevancy",
    "context_precision": "llm_context_precision_with_reference",
    "context_recall": "context_recall",
    "noise_sensitivity": "noise_sensitivity(mode=relevant)",
    "factual_correctness": "factual_correctness(mode=f1)",
    "answer_correctness": "answer_correctness",
    "context_entity_recall": "context_entity_recall",
    "answer_accuracy": "nv_accuracy",
    "response_groundedness": "nv_response_groundedness",
}
# What a small model can be asked in a reasonable time.
FOUR = ["faithfulness", "answer_relevancy", "context_precision", "context_recall"]


def records(language, count):
    """The first `count` records of the plan, systems in turn so that few records hold every kind."""
    planted = json.loads((ROOT / "testdata/planted" / language / "planted.json").read_text())
    cases = {case["id"]: case for case in planted["cases"]}
    rows = []
    for system, most in PLAN:
        for record in planted["systems"][system][:most]:
            case = cases[record["id"]]
            texts = {context["id"]: context["text"] for context in case["contexts"]}
            rows.append({
                "id": f"{language}-{system}-{record['id']}", "user_input": case["question"],
                "response": record["answer"], "reference": case["reference"],
                "retrieved_contexts": [texts[name] for name in record["contexts"] if name in texts],
            })
    step = max(1, len(rows) // count)
    return rows[::step][:count]


def judge():
    """The stand-in, knowing our prompts by their first lines and the planted refusals by heart."""
    prompts, refusals = {}, set()
    for file in (ROOT / "crates/ragmeter-facts/prompts").glob("*/*.md"):
        _, _, system = file.read_text().partition("# System\n")
        if system:  # the text about the shape of replies has none
            prompts[system.strip().split("\n")[0]] = file.parent.name
    for language in ("en", "ru"):
        planted = json.loads((ROOT / "testdata/planted" / language / "planted.json").read_text())
        refusals |= {record["answer"].strip() for record in planted["systems"]["refusing"]}
    return Judge(prompts, refusals)


def ours(binary, rows, url, model, metrics, work):
    """Our outcomes: {id: {metric: {status, value, reason, explanation}}}."""
    table, config, out = work / "rows.jsonl", work / "ragmeter.yaml", work / "out.csv"
    table.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    # Small machines take minutes for a call. The pool stands for the port, another one each time, so that the
    # store knows its replies again.
    config.write_text(
        f"models:\n  judge: {{model: \"openai:{model}\", base_url: \"{url}\", pool: conformance,\n"
        f"    concurrency: {1 if slow(work) else 8}, timeout: 900, total_timeout: 3600, queue_timeout: 360000}}\n"
        f"systems:\n  - {{name: recorded, records: {table.name}}}\n"
        f"metrics: [{', '.join(metrics)}]\njudge: {{model: judge, embedder: judge, profile: split}}\n")
    common = ["--store", str(work / "store"), "--format", "json"]
    done = subprocess.run([binary, "run", str(config), *common], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(done.stderr)
    subprocess.run([binary, "export", json.loads(done.stdout)["run_id"], "--csv", str(out), *common],
                   check=True, stdout=subprocess.DEVNULL)
    found = {row["id"]: {} for row in rows}
    with out.open(newline="") as file:
        for line in csv.DictReader(file):
            found[line["case"]][line["metric"]] = line
    return found


def slow(work):
    """A real model on a small machine: one call at a time, and the work is kept."""
    return work.name == "kept"


def value(outcome):
    return float(outcome["value"]) if outcome["value"] else outcome["reason"] or outcome["status"]


def by_their_formula(metric, row, outcome):
    """What RAGAS's formula makes of the facts that our score rests on, where its formula is another one."""
    if not number(value(outcome)):
        return value(outcome)
    if metric == "context_entity_recall":  # the exact words, repeats counted in the denominator
        wanted, found = entities(row["reference"]), entities("\n".join(row["retrieved_contexts"]))
        return len(set(wanted) & set(found)) / len(wanted)
    if metric not in ("factual_correctness", "answer_correctness"):
        return value(outcome)
    counts = re.search(r"(\d+) of (\d+) claims of the answer.*?(\d+) of (\d+) of the reference", outcome["explanation"])
    right, claims, held, wanted = map(int, counts.groups())
    wrong, missed = claims - right, wanted - held
    f1 = right / (right + 0.5 * (wrong + missed)) if right else 0.0  # TP of the answer's claims for both
    if metric == "factual_correctness":
        return round(f1, 2)
    cosine = float(re.search(r"cosine (-?[\d.]+)", outcome["explanation"])[1])
    return 0.75 * f1 + 0.25 * cosine


def theirs(rows, url, model, metrics, work):
    """The same of RAGAS, whose only word for absence is NaN. Kept record by record."""
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings
    from ragas import EvaluationDataset, RunConfig, evaluate
    from ragas.metrics._answer_correctness import AnswerCorrectness
    from ragas.metrics._answer_relevance import ResponseRelevancy
    from ragas.metrics._context_entities_recall import ContextEntityRecall
    from ragas.metrics._context_precision import LLMContextPrecisionWithReference
    from ragas.metrics._context_recall import LLMContextRecall
    from ragas.metrics._factual_correctness import FactualCorrectness
    from ragas.metrics._faithfulness import Faithfulness
    from ragas.metrics._noise_sensitivity import NoiseSensitivity
    from ragas.metrics._nv_metrics import AnswerAccuracy, ResponseGroundedness

    of = dict(zip(METRICS, [Faithfulness, ResponseRelevancy, LLMContextPrecisionWithReference, LLMContextRecall,
                            NoiseSensitivity, FactualCorrectness, AnswerCorrectness, ContextEntityRecall,
                            AnswerAccuracy, ResponseGroundedness]))
    kept = work / "ragas.json"
    found = json.loads(kept.read_text()) if kept.exists() else {}
    todo = [row for row in rows if row["id"] not in found]
    for batch in ([[row] for row in todo] if slow(work) else [todo]):
        if not batch:
            continue
        data = EvaluationDataset.from_list([{k: v for k, v in row.items() if k != "id"} for row in batch])
        scores = evaluate(
            data, metrics=[of[metric]() for metric in metrics],
            llm=ChatOpenAI(base_url=url, model=model, timeout=3000),
            embeddings=OpenAIEmbeddings(base_url=url, model=model, check_embedding_ctx_length=False),
            run_config=RunConfig(max_workers=1 if slow(work) else 16, timeout=9000, max_retries=2),
            show_progress=False).scores
        for row, score in zip(batch, scores):
            found[row["id"]] = {metric: float(score[METRICS[metric]]) for metric in metrics}
        kept.write_text(json.dumps(found))
    return {name: {metric: "NaN" if value != value else value for metric, value in of_row.items()}
            for name, of_row in found.items()}


def number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def table(rows, mine, other, metrics):
    print("| metric | scored by ragmeter / RAGAS | means | difference | correlation | records that differ "
          "| by RAGAS's formula |")
    print("|---|---|---|---|---|---|---|")
    same = lambda a, b, by=1e-6: abs(a - b) < by if number(a) and number(b) else number(a) == number(b)
    differing = []
    for metric in metrics:
        pairs = [(row["id"], value(mine[row["id"]][metric]), other[row["id"]][metric]) for row in rows]
        both = [(a, b) for _, a, b in pairs if number(a) and number(b)]
        differ = [pair for pair in pairs if not same(*pair[1:])]
        differing += [(metric, *pair) for pair in differ]
        # Our explanations print a cosine to three digits.
        left = [row["id"] for row in rows if not same(by_their_formula(metric, row, mine[row["id"]][metric]),
                                                      other[row["id"]][metric], 2e-4)]
        a, b = [x for x, _ in both], [y for _, y in both]
        varies = len(both) > 2 and len(set(a)) > 1 and len(set(b)) > 1
        correlation = f"{statistics.correlation(a, b):.3f}" if varies else "–"
        means = [statistics.mean(pair[side] for pair in pairs if number(pair[side])) for side in (1, 2)] \
            if both else [float("nan")] * 2
        print(f"| {metric} | {sum(number(a) for _, a, _ in pairs)} / {sum(number(b) for *_, b in pairs)} "
              f"| {means[0]:.3f} / {means[1]:.3f} | {means[0] - means[1]:+.3f} | {correlation} | {len(differ)} "
              f"| {len(left)} |")
    print()
    show = lambda score: f"{score:.3f}" if number(score) else score
    for metric, name, a, b in differing:
        print(f"- {metric}, {name}: {show(a)} / {show(b)}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--binary", default="target/debug/ragmeter")
    options.add_argument("--records", type=int, default=25)
    options.add_argument("--judge-url")
    options.add_argument("--model", default="stand-in")
    options.add_argument("--work", help="folder that keeps the work, for a real model")
    given = options.parse_args()
    rows = records("en", given.records) + records("ru", given.records)
    metrics = FOUR if given.judge_url else list(METRICS)
    scripted = judge()
    url = serve(scripted, given.judge_url)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(given.work or folder) / ("kept" if given.judge_url else "scripted")
        work.mkdir(parents=True, exist_ok=True)
        mine = ours(given.binary, rows, url, given.model, metrics, work)
        other = theirs(rows, url, given.model, metrics, work)
    table(rows, mine, other, metrics)
    if scripted.unknown:
        print("prompts that the stand-in does not know:", sorted(set(scripted.unknown)))


if __name__ == "__main__":
    main()
