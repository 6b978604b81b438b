#!/usr/bin/env python3
"""Fits the heads of the local judge and prints the tables of its card.

    pip install numpy scikit-learn
    cargo build --release -p ragmeter-local --example judge_features
    python3 scripts/train_judge.py DATA --features target/release/examples/judge_features \
        --out crates/ragmeter-local/models/judge-1.json

DATA holds train/ and dev/ of the labelled judgements (see the card). The features are computed by
the crate itself, so that training and judging cannot differ. dev/ is read for the tables only:
neither weights nor thresholds see it. Everything is seeded; the same data give the same file.
With `--cache FOLDER` computed features are kept between runs; `--card FILE` puts the tables between
the marks of the card.
"""

import argparse
import hashlib
import json
import pathlib
import random
import re
import subprocess

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

OVERLAP = (
    "recall soft_recall sentence_recall window_recall numbers_missing numbers_elsewhere names_missing "
    "names_elsewhere pair_recall verbatim length terms_missing question_in_claim claim_in_question "
    "question_recall sentence_f1 joint_recall any_number any_name no_terms question_words missing_run weakest_stretch"
).split()

FOR = (
    "recall soft_recall sentence_recall window_recall pair_recall verbatim key_context claim_cosine "
    "claim_cosine_lexical asked_cosine claim_gain question_recall_claim proximity proximity_rank fits "
    "sentence_f1 joint_recall weakest_stretch"
).split()
FOR_USEFUL = "question_cosine question_recall question_words".split()
AGAINST = (
    "numbers_missing numbers_elsewhere names_missing names_elsewhere negation_differs terms_missing "
    "missing_run question_cosine_gap question_recall_gap rivals_nearer"
).split()
# A statement stands or falls by the contexts, whatever was asked: many a sentence of an answer
# does not answer the question, and is none the worse supported.
QUESTION = (
    "question_claim_cosine question_cosine question_in_claim claim_in_question question_recall "
    "question_words question_negation question_cosine_gap rivals_nearer question_recall_gap fits "
    "claim_gain proximity proximity_rank question_recall_claim asked_cosine joint_recall"
).split()

WH = {
    "en": re.compile(
        r"^(in |on |at |by |for |from |to |of |with )?"
        r"(what (year|date|day|month|city|country|state|percentage|number|type|kind|name)|which \w+|who|whom|"
        r"whose|where|when|what|why|how (many|much|long|old|far|tall|often)( \w+)?|how)\b", re.I),
    "ru": re.compile(
        r"^(в|во|на|к|с|из|от|до|по|о|об|у|для|при|через|за)?\s*"
        r"(како[йегмю]\w*( году| год| стране| городе)?|каки[ехм]\w*|какая|какую|каков\w*|"
        r"кто|кого|кому|кем|ком|чей|чья|чьё|где|куда|откуда|когда|сколько|почему|зачем|как|что|чего|чему|чем)\b",
        re.I),
}
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-ZА-ЯЁ«\"0-9])")
NAME = re.compile(r"(?<=[a-zа-яё,] )([A-ZА-ЯЁ][\w-]+(?: [A-ZА-ЯЁ][\w-]+)*)")
NUMBER = re.compile(r"\d[\d.,]*\d|\d")


def rows(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def item(group, kind, lang, question, claim, contexts, label, **more):
    return dict(group=group, kind=kind, lang=lang, question=question, claim=claim,
                contexts=contexts, label=label, **more)


def statement(lang, question, answer):
    """A crude statement from a question and an answer: the answer in the question word's place."""
    body = question.strip().rstrip("?").strip()
    found = WH[lang].search(body)
    answer = answer.strip().rstrip(".")
    if found:
        body = f"{answer} {body[found.end():].strip()}"
    else:
        body = f"{body} {answer}"
    return body[0].upper() + body[1:] + "."


def alike(a, b):
    a, b = a.lower().strip(" ."), b.lower().strip(" .")
    return a == b or a in b or b in a


def shape(answer):
    if NUMBER.search(answer):
        return "number"
    return "name" if re.match(r"[A-ZА-ЯЁ]", answer) else "other"


def spoil(rng, sentence, paragraph):
    """The sentence with one number or name of it replaced, or denied; None if there is neither."""
    numbers = NUMBER.findall(sentence)
    others = [n for n in NUMBER.findall(paragraph) if n not in numbers]
    names = NAME.findall(sentence)
    strangers = [n for n in NAME.findall(paragraph) if n not in sentence]
    ways = [w for w, ok in (("number", numbers), ("name", names and strangers)) if ok]
    if not ways:
        return None
    if rng.choice(ways) == "number":
        old = rng.choice(numbers)
        if others and rng.random() < 0.4:
            new = rng.choice(others)
        else:
            digits = re.sub(r"\D", "", old)
            new = str(max(2, int(int(digits) * rng.choice([0.5, 0.8, 1.1, 1.5, 2, 3])) + rng.randint(1, 7)))
        return sentence.replace(old, new, 1) if new != old else None
    return sentence.replace(rng.choice(names), rng.choice(strangers), 1)


def shorten(rng, sentence):
    """The sentence without some of its words: a claim rarely repeats a whole sentence."""
    words = sentence.split()
    if len(words) < 9 or rng.random() < 0.4:
        return sentence
    parts = re.split(r"(?<=[,;]) ", sentence)
    if len(parts) > 1 and rng.random() < 0.5:
        part = max(parts, key=len)
        return part[0].upper() + part[1:].rstrip(",;")
    return " ".join(w for w in words if rng.random() > 0.15)


def built(data):
    """Items made from the raw paragraphs: support and usefulness."""
    rng = random.Random(20)
    paragraphs = rows(data / "train/xquad_paragraphs_en_ru.jsonl")
    support, useful = [], []
    elsewhere = {
        lang: [s for p in paragraphs for s in SENTENCE.split(p[lang]) if 5 <= len(s.split()) <= 30]
        for lang in ("en", "ru")
    }
    for entry in paragraphs:
        siblings = [p for p in paragraphs if p["article"] == entry["article"] and p is not entry]
        group = entry["article"]
        for lang in ("en", "ru"):
            text = entry[lang]
            company = [p[lang] for p in siblings]
            strangers = [p[lang] for p in rng.sample(paragraphs, 3) if p["article"] != group]

            def padded(contexts, company=company, strangers=strangers):
                extra = rng.sample(company, min(len(company), rng.choice([0, 0, 1, 2, 4])))
                mixed = contexts + [c for c in extra if c not in contexts]
                rng.shuffle(mixed)
                return mixed

            for qa in entry["qas"]:
                question, answer = qa[lang]["question"], qa[lang]["answer"]
                wrong = [q[lang]["answer"] for q in entry["qas"] if not alike(q[lang]["answer"], answer)]
                wrong = [w for w in dict.fromkeys(wrong)]
                same = [w for w in wrong if shape(w) == shape(answer)]
                rng.shuffle(wrong)
                rng.shuffle(same)
                picked = list(dict.fromkeys(same[:1] + wrong[:2]))
                shown = padded([text]) if rng.random() < 0.4 else [text]
                support.append(item(group, "answer", lang, question, answer, shown, 1))
                for w in picked:
                    support.append(item(group, "answer", lang, question, w, shown, 0, neg="same"))
                if company:
                    other = rng.choice(company)
                    if answer.lower() not in other.lower() or len(answer) < 12:
                        support.append(item(group, "answer", lang, question, answer, [other], 0, neg="swap"))
                asked = question if rng.random() < 0.6 else ""
                claim = statement(lang, question, answer)
                support.append(item(group, "statement", lang, asked, claim, padded([text]), 1))
                for w in picked[:2]:
                    false = statement(lang, question, w)
                    support.append(item(group, "statement", lang, asked, false, padded([text]), 0, neg="same"))
                if company:
                    support.append(item(group, "statement", lang, asked, claim, [rng.choice(company)], 0, neg="swap"))

                for reference in ("", rng.choice([answer, claim])) if rng.random() < 0.5 else ():
                    kind = "useful_reference" if reference else "useful_question"
                    useful.append(item(group, kind, lang, question, reference, [text], 1))
                    for other in rng.sample(company, min(2, len(company))) + strangers[:1]:
                        useful.append(item(group, kind, lang, question, reference, [other], 0))
                    parts = SENTENCE.split(text)
                    if len(parts) >= 4:
                        half = len(parts) // 2
                        halves = [" ".join(parts[:half]), " ".join(parts[half:])]
                        holds = [answer.lower().rstrip(".") in h.lower() for h in halves]
                        if sum(holds) == 1:
                            for half, label in zip(halves, holds):
                                useful.append(item(group, kind, lang, question, reference, [half], int(label)))
            sentences = [s for s in SENTENCE.split(text) if 5 <= len(s.split()) <= 45]
            questions = [qa[lang]["question"] for qa in entry["qas"]]
            for s in sentences:
                asked = rng.choice(questions) if rng.random() < 0.6 else ""
                support.append(item(group, "sentence", lang, asked, shorten(rng, s), padded([text]), 1))
                false = spoil(rng, shorten(rng, s), text)
                if false:
                    support.append(item(group, "sentence", lang, asked, false, padded([text]), 0, neg="spoilt"))
                stranger = rng.choice(elsewhere[lang])
                part = max(re.split(r"(?<=[,;]) ", stranger), key=len).rstrip(".!? ")
                link = rng.choice(["and", "because", "which means that"] if lang == "en" else ["и", "потому что", "а значит"])
                longer = f"{shorten(rng, s).rstrip('.!? ')}, {link} {part[0].lower()}{part[1:]}."
                support.append(item(group, "sentence", lang, asked, longer, padded([text]), 0, neg="extended"))
                if rng.random() < 0.3:
                    support.append(item(group, "sentence", lang, asked, stranger, padded([text]), 0, neg="stranger"))
                if company and rng.random() < 0.5:
                    away = [c for c in padded([rng.choice(company)]) if c != text]
                    support.append(item(group, "sentence", lang, asked, shorten(rng, s), away, 0, neg="swap"))
    return support, useful


def given(path, name, task):
    out = []
    for row in rows(path):
        if row["task"] == task:
            group = name + re.sub(r"-(\d|pos|wrong|swap\w*|rel|irr)$", "", row["id"])
            out.append(item(group, name, row["lang"], row["question"], row["response"], row["contexts"],
                            row["label"], neg=row.get("neg_type", "")))
    return out


class Features:
    def __init__(self, program, cache):
        self.program, self.cache, self.names = program, cache, None

    def __call__(self, items):
        """(bare-answer flags, features) of items."""
        fields = ("question", "claim", "contexts", "lang")
        lines = "\n".join(json.dumps({k: i[k] for k in fields}, ensure_ascii=False) for i in items)
        program = pathlib.Path(self.program).read_bytes()
        key = hashlib.sha256(program + lines.encode()).hexdigest()[:24]
        stored = self.cache and pathlib.Path(self.cache, key + ".tsv")
        if stored and stored.exists():
            text = stored.read_text()
        else:
            done = subprocess.run([self.program], input=lines, capture_output=True, text=True, check=True)
            text = done.stdout
            if stored:
                stored.write_text(text)
        head, *body = text.splitlines()
        self.names = head.split("\t")[1:]
        values = np.array([line.split("\t") for line in body], float)
        assert len(values) == len(items)
        return values[:, 0] > 0, values[:, 1:]


def weights_of(items):
    """Each kind, language and label weighs alike, a kind by the root of its size. Statements that
    another answer of the paragraph would make weigh less: answers seldom err so, they invent."""
    counts = {}
    for i in items:
        key = (i["kind"], i["lang"], i["label"])
        counts[key] = counts.get(key, 0) + 1
    sizes = {}
    for (kind, lang, _), n in counts.items():
        sizes[kind, lang] = sizes.get((kind, lang), 0) + n
    raw = [sizes[i["kind"], i["lang"]] ** 0.5 / counts[i["kind"], i["lang"], i["label"]] for i in items]
    raw = np.array(raw) * [0.3 if (i["kind"], i.get("neg")) == ("statement", "same") else 1 for i in items]
    return raw / np.mean(raw)


def balanced(labels, verdicts, weights=None):
    weights = np.ones(len(labels)) if weights is None else weights
    rate = [np.sum(weights * (verdicts == y) * (labels == y)) / np.sum(weights * (labels == y)) for y in (0, 1)]
    return sum(rate) / 2


def threshold(labels, scores, weights):
    candidates = np.unique(np.quantile(scores, np.linspace(0.02, 0.98, 97)))
    return max(candidates, key=lambda t: balanced(labels, scores >= t, weights))


def standard(x):
    mean, scale = x.mean(0), x.std(0)
    scale[scale < 1e-6] = 1.0
    return mean, scale


def bounds(names, name):
    """The direction in which a feature may speak: without it, weights of features that go together
    come out with opposite signs, which fits one set and misleads on the next."""
    usefulness = name.startswith("useful")
    for feature in names:
        if name == "statement" and feature in QUESTION:
            yield 0, 0
        elif feature in FOR or (usefulness and feature in FOR_USEFUL):
            yield 0, None
        elif feature in AGAINST:
            yield None, 0
        else:
            yield None, None


def regress(x, y, w, c, limits):
    """L2-regularised logistic regression with bounded weights."""
    mean, scale = standard(x)
    z = np.column_stack([np.clip((x - mean) / scale, -6, 6), np.ones(len(x))])
    sign = np.where(y > 0, 1.0, -1.0)

    def loss(beta):
        margin = sign * (z @ beta)
        value = np.sum(w * np.logaddexp(0, -margin)) + np.sum(beta[:-1] ** 2) / (2 * c)
        slope = z.T @ (-w * sign / (1 + np.exp(np.clip(margin, -500, 500))))
        slope[:-1] += beta[:-1] / c
        return value, slope

    done = minimize(loss, np.zeros(z.shape[1]), jac=True, method="L-BFGS-B", bounds=[*limits, (None, None)],
                    options=dict(maxiter=3000, ftol=1e-10))
    beta = done.x

    def predict(values):
        return 1 / (1 + np.exp(-(np.clip((values - mean) / scale, -6, 6) @ beta[:-1] + beta[-1])))

    return predict, beta, mean, scale


def fit(items, x, limits, c=None):
    """A head, with a threshold from predictions across folds of articles."""
    y = np.array([i["label"] for i in items])
    w = weights_of(items)
    groups = [i["group"] for i in items]
    best = None
    for strength in (c,) if c else (0.001, 0.01, 0.1, 1.0):
        out = np.zeros(len(y))
        for train, test in GroupKFold(5).split(x, y, groups):
            out[test] = regress(x[train], y[train], w[train], strength, limits)[0](x[test])
        auc = roc_auc_score(y, out, sample_weight=w)
        if best is None or auc > best[0] + 1e-4:
            best = (auc, strength, out)
    auc, strength, out = best
    cut = threshold(y, out, w)
    predict, beta, mean, scale = regress(x, y, w, strength, limits)
    # Moves the threshold to one half, so that the heads' probabilities can stand in one table.
    shift = float(np.log(cut / (1 - cut)))
    head = dict(mean=mean.tolist(), scale=scale.tolist(), weights=beta[:-1].tolist(),
                bias=float(beta[-1]) - shift, threshold=0.5)
    info = f"{len(y)} items, C {strength}, across folds AUC {auc:.3f}, balanced {balanced(y, out >= cut, w):.3f}"

    def shifted(values):
        p = predict(values)
        return 1 / (1 + np.exp(shift) * (1 - p) / p)

    return shifted, 0.5, head, info, out, cut


def rounded(value):
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def auc(y, s):
    return roc_auc_score(y, s) if 0 < sum(y) < len(y) else float("nan")


def main():
    args = argparse.ArgumentParser()
    args.add_argument("data", type=pathlib.Path)
    args.add_argument("--features", required=True)
    args.add_argument("--out", type=pathlib.Path)
    args.add_argument("--cache")
    args.add_argument("--card", type=pathlib.Path)
    args = args.parse_args()
    features = Features(args.features, args.cache)
    data = args.data

    support, useful = built(data)
    support += given(data / "train/halueval_qa_en.jsonl", "halueval", "groundedness")
    support += given(data / "train/wice_claim_dev_en.jsonl", "wice", "groundedness")
    bare, x = features(support)
    names = features.names
    overlap = [names.index(n) for n in OVERLAP]
    _, xu = features(useful)

    def part(items, x, mask):
        return [i for i, m in zip(items, mask) if m], x[np.array(mask)]

    heads, fits = {}, {}
    folds = ["| head | made from | n | judge | overlap regression |", "|---|---|---|---|---|"]
    selected = {
        "answer": part(support, x, list(bare)),
        "statement": part(support, x, list(~bare)),
        "useful_question": part(useful, xu, [not i["claim"] for i in useful]),
        "useful_reference": part(useful, xu, [bool(i["claim"]) for i in useful]),
    }
    for name, (items, z) in selected.items():
        limits = list(bounds(names, name))
        full = fit(items, z, limits)
        words = fit(items, z[:, overlap], [limits[i] for i in overlap])
        single = names.index("question_words" if name == "useful_question" else "recall")
        y = np.array([i["label"] for i in items])
        cut = threshold(y, z[:, single], weights_of(items))
        heads[name] = full[2]
        fits[name] = (full, words, single, cut)
        print(f"{name}: {full[3]}\n    overlap only: {words[3]}")
        kinds = sorted({(i["kind"], i["lang"]) for i in items})
        for key in kinds:
            m = np.array([(i["kind"], i["lang"]) == key for i in items])
            if min(sum(y[m]), sum(1 - y[m])) < 20:
                continue
            cells = [f"{auc(y[m], f[4][m]):.2f} / {balanced(y[m], f[4][m] >= f[5]):.2f}" for f in (full, words)]
            folds.append(f"| {name} | {key[0]} {key[1]} | {m.sum()} | {' | '.join(cells)} |")
        order = np.argsort(-np.abs(full[2]["weights"]))
        print("    " + " ".join(f"{names[i]}={full[2]['weights'][i]:+.2f}" for i in order[:14]))
    if args.out:
        args.out.write_text(json.dumps(dict(features=names, **rounded(heads)), indent=1) + "\n")

    table = ["| set | n | judge | overlap regression | word recall |", "|---|---|---|---|---|"]

    def line(label, y, columns):
        cells = [f"{auc(y, s):.2f} / {balanced(y, s >= t):.2f}" for s, t in columns]
        table.append(f"| {label} | {len(y)} | {' | '.join(cells)} |")

    for path in sorted((data / "dev").glob("*.jsonl")):
        task = rows(path)[0]["task"]
        items = given(path, path.stem, task)
        bare, z = features(items)
        y = np.array([i["label"] for i in items])
        if task == "relevance":
            chosen = ["useful_question"] * len(y)
        else:
            chosen = ["answer" if b else "statement" for b in bare]
        columns = []
        for which in range(3):
            score, cut = np.zeros(len(y)), np.zeros(len(y))
            for name in set(chosen):
                m = np.array([c == name for c in chosen])
                full, words, single, single_cut = fits[name]
                values = (full[0](z[m]), words[0](z[m][:, overlap]), z[m][:, single])[which]
                cuts = (full[1], words[1], single_cut)[which]
                score[m], cut[m] = values, cuts
            columns.append((score, cut))
        line(path.stem, y, columns)
        for neg in sorted({i["neg"] for i in items if i.get("neg")}):
            m = np.array([i["label"] == 1 or i.get("neg") == neg for i in items])
            line(f"{path.stem}: {neg}", y[m], [(s[m], t[m]) for s, t in columns])

    print("\n".join(["", *folds, "", *table]))
    if args.card:
        text = args.card.read_text()
        for mark, lines in (("dev", table), ("folds", folds)):
            body = "\n".join(lines)
            text = re.sub(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", rf"\g<1>\n{body}\n\n\g<2>", text, flags=re.S)
        args.card.write_text(text)


if __name__ == "__main__":
    main()
