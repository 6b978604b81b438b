#!/usr/bin/env python3
"""Checks the planted records and computes golden metric values from their annotations.

    python3 check.py            check both languages, write golden.json
    python3 check.py --verify   check, and fail if golden.json is not what would be written

Standard library only. The formulas are written here from their definitions, apart from the
product's code, so that the two can be held against each other.
"""

import json
import re
import sys
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
LANGUAGES = ("en", "ru")
CASES_PER_LANGUAGE = 9
FULL_SYSTEMS = (
    "faithful", "hallucinating", "omitting", "refusing", "other_question", "wrong_language",
    "world_true", "reference_true", "shuffled", "empty_contexts", "empty_answer",
)
# The article's own answers: only the two cases that it shows.
PARTIAL_SYSTEMS = {"article_sun": ["c1", "c2"]}

problems = []


def need(condition, message):
    if not condition:
        problems.append(message)


# ---------------------------------------------------------------- formulas


def faithfulness(case, record):
    """Supported claims / claims. None where the answer makes no claim."""
    if record["refusal"] != "answered" or not record["claims"]:
        return None
    if not record["contexts"]:
        return Fraction(0)
    supported = sum(claim["verdict"] == "supported" for claim in record["claims"])
    return Fraction(supported, len(record["claims"]))


def context_recall(case, record):
    """Reference sentences supported by a retrieved context / reference sentences."""
    retrieved = set(record["contexts"])
    sentences = case["reference_sentences"]
    held = sum(bool(retrieved & set(sentence["supported_by"])) for sentence in sentences)
    return Fraction(held, len(sentences))


def context_precision(case, record):
    """Average precision: precision at each useful rank, averaged over the useful contexts retrieved."""
    useful = {context["id"] for context in case["contexts"] if context["useful"]}
    seen, total = 0, Fraction(0)
    for rank, context in enumerate(record["contexts"], start=1):
        if context in useful:
            seen += 1
            total += Fraction(seen, rank)
    return total / seen if seen else Fraction(0)


def question_coverage(case, record):
    """Parts of the question that the answer answers / parts. Refusals and empty answers: 0."""
    if record["refusal"] == "refused" or not record["answer"].strip():
        return Fraction(0)
    return Fraction(sum(record["parts_answered"]), len(case["question_parts"]))


def refusal_rate(case, record):
    return Fraction(int(record["refusal"] == "refused"))


METRICS = {
    "faithfulness": faithfulness,
    "context_recall": context_recall,
    "context_precision": context_precision,
    "question_coverage": question_coverage,
    "refusal_rate": refusal_rate,
}


def number(value):
    return None if value is None else float(value)


def golden_of(cases, records):
    out = {}
    for name, formula in METRICS.items():
        values = {r["id"]: formula(cases[r["id"]], r) for r in records}
        scored = [v for v in values.values() if v is not None]
        out[name] = {
            "mean": number(sum(scored, Fraction(0)) / len(scored)) if scored else None,
            "n_scored": len(scored),
            "n_not_applicable": len(values) - len(scored),
            "records": {key: number(v) for key, v in values.items()},
        }
    return out


# ---------------------------------------------------------------- checks


def script_of(text):
    cyrillic = len(re.findall(r"[А-Яа-яЁё]", text))
    latin = len(re.findall(r"[A-Za-z]", text))
    return "ru" if cyrillic > latin else "en"


def check_case(lang, case):
    where = f"{lang} {case['id']}"
    need(case["question_parts"], f"{where}: no question parts")
    if len(case["question_parts"]) == 1:
        need(case["question_parts"][0] == case["question"], f"{where}: a single question is its own part")
    need(len(case["contexts"]) == 5, f"{where}: not 5 contexts")
    ids = [context["id"] for context in case["contexts"]]
    need(len(set(ids)) == len(ids), f"{where}: context ids repeat")
    flags = [context["useful"] for context in case["contexts"]]
    need(flags == sorted(flags, reverse=True) and any(flags) and not all(flags),
         f"{where}: useful contexts don't come first")
    for context in case["contexts"]:
        text = context["text"]
        sentences = len(re.findall(r"[.!?](?:\s|$)", text))
        need(2 <= sentences <= 4, f"{where} {context['id']}: {sentences} sentences")
        need(script_of(text) == lang, f"{where} {context['id']}: language")
    sentences = case["reference_sentences"]
    need(1 <= len(sentences) <= 3, f"{where}: {len(sentences)} reference sentences")
    need(" ".join(s["text"] for s in sentences) == case["reference"], f"{where}: sentences don't make the reference")
    useful = {c["id"] for c in case["contexts"] if c["useful"]}
    used = set()
    for sentence in sentences:
        need(set(sentence["supported_by"]) <= set(ids), f"{where}: unknown id in supported_by")
        used |= set(sentence["supported_by"])
    need(used == useful, f"{where}: useful contexts {sorted(useful)} but the reference uses {sorted(used)}")
    for text in (case["question"], case["reference"], *case["question_parts"]):
        need(script_of(text) == lang, f"{where}: language of {text!r}")


def check_record(lang, system, case, record):
    where = f"{lang} {system} {record['id']}"
    texts = {context["id"]: context["text"] for context in case["contexts"]}
    retrieved, answer = record["contexts"], record["answer"]
    need(len(set(retrieved)) == len(retrieved) and set(retrieved) <= set(texts), f"{where}: contexts")
    need(record["refusal"] in ("answered", "refused", "no_factual_content"), f"{where}: refusal")
    need(len(record["parts_answered"]) == len(case["question_parts"]), f"{where}: parts_answered length")
    need(bool(record["claims"]) == (record["refusal"] == "answered"), f"{where}: claims and refusal disagree")
    need(record["noncommittal"] == (record["refusal"] == "refused"), f"{where}: noncommittal")
    need(bool(answer) == bool(record["implied_question"]), f"{where}: implied question")
    need(len({c["text"] for c in record["claims"]}) == len(record["claims"]), f"{where}: a claim repeats")
    for claim in record["claims"]:
        here = f"{where}: claim {claim['text']!r}"
        span, quote, verdict = claim["span"], claim["quote"], claim["verdict"]
        need(span is None or answer.count(span) == 1, f"{here}: span stands {answer.count(span or '')} times")
        need(verdict in ("supported", "contradicted", "absent"), f"{here}: verdict")
        if verdict == "absent":
            need(not claim["contexts"] and quote is None, f"{here}: absent but has evidence")
        else:
            need(claim["contexts"] and set(claim["contexts"]) <= set(retrieved), f"{here}: evidence isn't retrieved")
            need(quote and any(quote in texts[c] for c in claim["contexts"]), f"{here}: quote isn't in its context")
    if answer:
        expected = lang if system != "wrong_language" else ("ru" if lang == "en" else "en")
        for text in (answer, record["implied_question"], *(c["text"] for c in record["claims"])):
            need(script_of(text) == expected, f"{where}: language of {text!r}")
    if all(record["parts_answered"]) and system != "wrong_language":
        need(record["implied_question"] == case["question"], f"{where}: implied question isn't the question")


def check_system(lang, system, cases, records, faithful):
    """What each name promises."""
    for record in records:
        case, base = cases[record["id"]], faithful[record["id"]]
        where = f"{lang} {system} {record['id']}"
        verdicts = [claim["verdict"] for claim in record["claims"]]
        useful = [c["id"] for c in case["contexts"] if c["useful"]]
        parts = record["parts_answered"]
        if system in ("faithful", "omitting", "other_question", "wrong_language", "shuffled"):
            need(set(verdicts) == {"supported"}, f"{where}: a claim isn't supported")
        if system in ("faithful", "hallucinating", "wrong_language", "world_true", "reference_true", "shuffled", "empty_contexts"):
            need(all(parts), f"{where}: a part isn't answered")
        if system not in ("reference_true", "shuffled", "empty_contexts"):
            need(record["contexts"] == base["contexts"], f"{where}: contexts aren't those of faithful")
        if system in ("shuffled", "empty_contexts"):
            need(record["answer"] == base["answer"], f"{where}: answer isn't that of faithful")
        if system == "hallucinating":
            need(2 * verdicts.count("supported") <= len(verdicts), f"{where}: too many supported claims")
        if system == "omitting":
            need(sum(parts) == 1, f"{where}: answers {sum(parts)} parts")
        if system == "other_question":
            need(not any(parts), f"{where}: answers the question")
        if system == "refusing":
            need(record["refusal"] == "refused" and not any(parts), f"{where}: doesn't refuse")
        if system in ("world_true", "reference_true", "empty_contexts"):
            need(set(verdicts) == {"absent"}, f"{where}: a claim isn't absent")
        if system == "reference_true":
            need(record["contexts"] and not set(record["contexts"]) & set(useful), f"{where}: a useful context is given")
        if system == "shuffled":
            need(sorted(record["contexts"]) == sorted(base["contexts"]), f"{where}: another set of contexts")
            need(record["contexts"][-len(useful):] == useful, f"{where}: useful contexts aren't last")
        if system == "empty_contexts":
            need(record["contexts"] == [], f"{where}: has contexts")
        if system == "empty_answer":
            need(record["answer"] == "" and record["refusal"] == "no_factual_content", f"{where}: not empty")


def one_truth(lang, cases, systems):
    """An endpoint sees texts, not names of systems: equal inputs must have equal annotations."""
    known = {}

    def same(key, value, where):
        need(known.setdefault(key, value) == value, f"{where}: equal inputs, different annotations: {key[:2]!r}")

    for system, records in systems.items():
        for record in records:
            where = f"{lang} {system} {record['id']}"
            question, answer = cases[record["id"]]["question"], record["answer"]
            extracted = [(c["text"], c["span"]) for c in record["claims"]]
            same(("extract", question, answer), (extracted, record["refusal"]), where)
            same(("parts", question, answer), record["parts_answered"], where)
            same(("invert", answer), (record["implied_question"], record["noncommittal"]), where)
            for claim in record["claims"]:
                key = ("verify", claim["text"], record["id"], tuple(sorted(record["contexts"])))
                same(key, (claim["verdict"], claim["contexts"], claim["quote"]), where)
                same(("owner", claim["text"]), record["id"], where)


def check_leaks(lang, cases, systems):
    """Tests look for hidden fields in requests, so no field may hold another one by accident."""
    contexts = [c["text"] for case in cases.values() for c in case["contexts"]]
    references = [s["text"] for case in cases.values() for s in case["reference_sentences"]]
    questions = [case["question"] for case in cases.values()]
    answers = sorted({r["answer"] for records in systems.values() for r in records if r["answer"]})
    claims = sorted({c["text"] for records in systems.values() for r in records for c in r["claims"]})
    for i, text in enumerate(contexts):
        for other in contexts[:i] + contexts[i + 1:]:
            need(text not in other, f"{lang}: a context stands in another: {text!r}")
    for reference in references:
        for text in contexts + answers + claims + questions:
            need(reference not in text, f"{lang}: a reference sentence stands elsewhere: {reference!r}")
    for i, question in enumerate(questions):
        for text in contexts + answers + claims + references + questions[:i] + questions[i + 1:]:
            need(question not in text, f"{lang}: a question stands elsewhere: {question!r}")
    for answer in answers:
        for text in contexts:
            need(answer not in text and text not in answer, f"{lang}: an answer and a context overlap: {answer!r}")
    return contexts


def check_golden_sun(lang, systems):
    """The article's case: verdicts 1 1 0 1, and a two-part question answered by the mass alone."""
    first, second = systems["article_sun"]
    verdicts = [int(c["verdict"] == "supported") for c in first["claims"]]
    need(verdicts == [1, 1, 0, 1], f"{lang} article_sun c1: verdicts {verdicts}")
    need(second["parts_answered"] == [True, False], f"{lang} article_sun c2: parts")


def load(lang):
    data = json.loads((HERE / lang / "planted.json").read_text(encoding="utf-8"))
    need(data["lang"] == lang, f"{lang}: lang is {data['lang']!r}")
    cases = {case["id"]: case for case in data["cases"]}
    need(len(data["cases"]) == len(cases) == CASES_PER_LANGUAGE, f"{lang}: number of cases or repeated ids")
    systems = data["systems"]
    expected = {name: list(cases) for name in FULL_SYSTEMS} | PARTIAL_SYSTEMS
    got = {name: [r["id"] for r in records] for name, records in systems.items()}
    need(got == expected, f"{lang}: systems or their records aren't the expected ones")
    if problems:
        sys.exit("\n".join(problems))
    return cases, systems


def main():
    golden, all_contexts = {}, []
    for lang in LANGUAGES:
        cases, systems = load(lang)
        faithful = {record["id"]: record for record in systems["faithful"]}
        for case in cases.values():
            check_case(lang, case)
        need(sum(len(c["question_parts"]) == 2 for c in cases.values()) >= 4, f"{lang}: fewer than 4 two-part questions")
        for system, records in systems.items():
            for record in records:
                check_record(lang, system, cases[record["id"]], record)
            check_system(lang, system, cases, records, faithful)
        one_truth(lang, cases, systems)
        all_contexts += check_leaks(lang, cases, systems)
        check_golden_sun(lang, systems)
        golden[lang] = {system: golden_of(cases, records) for system, records in systems.items()}
        records = sum(len(r) for r in systems.values())
        claims = sum(len(x["claims"]) for r in systems.values() for x in r)
        print(f"{lang}: {len(cases)} cases, {len(systems)} systems, {records} records, {claims} claims")
    need(len(set(all_contexts)) == len(all_contexts), "a context text repeats")
    if problems:
        sys.exit("\n".join(problems) + f"\n{len(problems)} problems")

    text = json.dumps(golden, ensure_ascii=False, indent=1) + "\n"
    path = HERE / "golden.json"
    if "--verify" in sys.argv[1:]:
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            sys.exit("golden.json is stale: run check.py without --verify")
    else:
        path.write_text(text, encoding="utf-8")
    for lang, systems in golden.items():
        print(f"\n{lang:16}" + "".join(f"{name:>20}" for name in METRICS))
        for system, metrics in systems.items():
            cells = (f"{'–' if m['mean'] is None else format(m['mean'], '.4f')} ({m['n_scored']}+{m['n_not_applicable']})" for m in metrics.values())
            print(f"{system:16}" + "".join(f"{cell:>20}" for cell in cells))
    print("\nall checks passed")


if __name__ == "__main__":
    main()
