"""What a judge behind an OpenAI-compatible endpoint is worth as faithfulness, asked both ways.

    python3 scripts/real_judge.py LABELS.jsonl --url http://127.0.0.1:8080/v1 --model NAME --work FOLDER [--records 20]

LABELS has one answer a line: `id`, `question`, `contexts`, `response`, `label` (1: the contexts say it) and, for
negatives, `neg_type`. Half of the records are positive; a fixed seed draws them. Each profile (`grouped`, `split`)
scores the same records one call at a time; an answer counts as held to be grounded above 0.5. Prints Markdown:
balanced accuracy with its standard error (binomial, both rates), what had no score and why, calls and rungs. The
store stays in FOLDER: interrupted, run it again, and nothing is asked twice.
"""

import argparse
import collections
import csv
import json
import math
import pathlib
import random
import subprocess


def draw(file, count):
    rows = [json.loads(line) for line in pathlib.Path(file).read_text().splitlines() if line]
    chosen = random.Random(7)
    positive, negative = ([row for row in rows if row["label"] == label] for label in (1, 0))
    chosen.shuffle(positive)
    chosen.shuffle(negative)
    # Answers of another kind are easier to tell than answers with one thing swapped.
    easy = [row for row in negative if "answer" in str(row.get("neg_type"))]
    hard = [row for row in negative if row not in easy]
    return positive[: count // 2] + easy[: count * 3 // 10] + hard[: count // 5]


def score(binary, rows, given, profile, work):
    table, out, config = (work / f"{profile}.{end}" for end in ("rows.jsonl", "csv", "yaml"))
    table.write_text("".join(json.dumps({
        "id": row["id"], "user_input": row["question"], "response": row["response"],
        "retrieved_contexts": row["contexts"]}, ensure_ascii=False) + "\n" for row in rows))
    # Small machines take minutes for a call.
    config.write_text(
        f"models:\n  judge: {{model: {given.model}, base_url: \"{given.url}\", concurrency: 1, timeout: 600,\n"
        f"    total_timeout: 1800, queue_timeout: 36000}}\n"
        f"systems:\n  - {{name: labelled, records: {table.name}}}\n"
        f"metrics: [faithfulness]\njudge: {{model: judge, profile: {profile}}}\n")
    common = ["--store", str(work / "store"), "--format", "json"]
    done = subprocess.run([binary, "run", str(config), *common], stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(done.returncode)
    run = json.loads(done.stdout)
    subprocess.run([binary, "export", run["run_id"], "--csv", str(out), *common],
                   check=True, stdout=subprocess.DEVNULL)
    with out.open(newline="") as file:
        return run, {row["case"]: row for row in csv.DictReader(file) if row["metric"] == "faithfulness"}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("labels")
    options.add_argument("--url", required=True)
    options.add_argument("--model", required=True)
    options.add_argument("--work", required=True)
    options.add_argument("--records", type=int, default=20)
    options.add_argument("--binary", default="target/debug/ragmeter")
    given = options.parse_args()
    work = pathlib.Path(given.work)
    work.mkdir(parents=True, exist_ok=True)
    rows = draw(given.labels, given.records)
    print("| profile | grounded, said so | not grounded, said so | balanced accuracy | no score | chat calls |")
    print("|---|---|---|---|---|---|")
    for profile in ("grouped", "split"):
        run, scores = score(given.binary, rows, given, profile, work)
        right, of = collections.Counter(), collections.Counter()
        absent = collections.Counter()
        for row in rows:
            outcome = scores[row["id"]]
            if outcome["status"] != "scored":
                absent[outcome["reason"] or outcome["status"]] += 1
                continue
            of[row["label"]] += 1
            right[row["label"]] += (float(outcome["value"]) > 0.5) == (row["label"] == 1)
        rates = {label: right[label] / of[label] for label in of}
        accuracy = sum(rates.values()) / 2
        error = math.sqrt(sum(rate * (1 - rate) / of[label] for label, rate in rates.items())) / 2
        why = ", ".join(f"{reason}: {count}" for reason, count in absent.items()) or "none"
        print(f"| {profile} | {right[1]} of {of[1]} | {right[0]} of {of[0]} | {accuracy:.3f} ± {error:.3f} | {why} "
              f"| {run['calls']['chat']} |")


if __name__ == "__main__":
    main()
