"""Writes lexical.json and lexical_stems.tsv: what the reference libraries say.

    pip install sacrebleu==2.6.0 rouge-score==0.1.2 rapidfuzz==3.14.6 nltk==3.10.4 \
        snowballstemmer==3.1.1 regex
    python lexical.py

BLEU, chrF and chrF++ are sacreBLEU's over one segment, ROUGE is rouge-score's, the similarities are
rapidfuzz's, exact match and F1 follow SQuAD's script. rouge-score knows ASCII letters only; for
other words it gets a tokenizer that is written here, with the Snowball stemmers of their authors.
"""

import json
import pathlib
import random
import unicodedata

import regex
import snowballstemmer
from nltk.stem.porter import PorterStemmer
from rapidfuzz.distance import Hamming, Jaro, JaroWinkler, Levenshtein
from rouge_score import rouge_scorer, tokenizers
from sacrebleu.metrics import BLEU, CHRF

HERE = pathlib.Path(__file__).parent
CAT = "The cat sat on the mat. The dog ran in the park."
PYTHON = "Python is a high-level programming language. It was created by Guido van Rossum."
VOLGA = "Волга впадает в Каспийское море. Её длина — 3530 км."

# Reference, answer.
PAIRS = [
    # RAGAS's own inputs (tests/e2e/metrics_migration).
    (CAT, CAT),
    (PYTHON, "Python is a programming language. It was developed by Guido van Rossum."),
    ("Machine learning is a subset of artificial intelligence. It enables computers to learn from data.",
     "Deep learning uses neural networks. It processes complex patterns in data."),
    ("The capital of France is Paris.", "Paris is the capital and largest city of France."),
    ("Some reference text", ""),
    ("Hello World", "Hallo World"),
    ("Machine learning", "Deep learning"),
    ("The capital of France is Paris", "Paris is the capital of France"),
    ("Python is a programming language", "Python is a scripting language"),
    ("abc", "xyz"),
    ("test", "test"),
    ("Hello World", "hello world"),
    ("Test", "Test "),
    ("Paris", "The capital of France is Paris."),
    ("dog", "The cat sat on the mat"),
    ("The quick brown fox jumps over the lazy dog.", "The quick brown fox jumps."),
    ("The quick brown fox", "The quick brown dog"),
    # The second sentence replaced, and moved (RAGAS issue 2888).
    (CAT, "The cat sat on the mat. Zebras quietly paint blue numbers upstairs."),
    (CAT, "The dog ran in the park. The cat sat on the mat."),
    # Short texts.
    ("A", "A"), ("A", "B"), ("Paris.", "Paris."), ("a b", "a b"), ("a b c", "a b c"), ("a b c d", "a b c d"),
    ("yes", "Yes."), ("42", "42"), ("42", "24"), ("x", "a much longer answer than the reference"),
    # Numbers, punctuation, entities, line breaks.
    ("Pi is 3.14159, more or less.", "Pi is 3.14, more or less."),
    ("It costs $1,234.50 (net).", "It costs $1234.50 net."),
    ("From 1990-2000 it rose by 5-7 %.", "From 1990 to 2000 it rose by 5–7%."),
    ("Use `a && b` or [x] {y} ~z.", "Use a &amp;&amp; b or &lt;x&gt; {y} ~z <skipped>."),
    ("The co-\noperative bank\nopened.", "The cooperative bank opened."),
    ("Wait... what?! No.,.", "Wait... what? No,,."),
    ("http://example.com/a?b=c&d=e", "http://example.com/a?b=c"),
    ("don't can't won't", "dont cant wont"),
    ("tab\tand  spaces\u00a0here", "tab and spaces here"),
    ("(hi) \"quoted\" 'single'", "hi quoted single"),
    ("the the the the the the the", "the cat is on the mat"),
    ("the cat is on the mat", "the the the the the the the"),
    # Stems, articles, case.
    ("He was running and easily generalized relational operators.", "She runs, generalizing the relations of an operator easily."),
    ("The geologist succeeded; news of skies and innings.", "A geology success: new sky, an inning."),
    ("An apple a day keeps the doctor away", "apple day keeps doctor away"),
    ("The U.S. Army", "us army"),
    ("UPPER lower MiXeD", "upper LOWER mixed"),
    # Russian.
    (VOLGA, VOLGA),
    (VOLGA, "Волга впадает в Каспийское море. Ее длина - 3530 километров."),
    (VOLGA, "Длина Волги равна 3530 км, она впадает в Каспий."),
    ("Столица России — Москва.", "Москва является столицей России."),
    ("Москва", "Столица — Москва."),
    ("Ёлка зелёная, ёжик колючий", "елка зеленая ежик колючий"),
    ("Билет стоит 45 рублей 50 копеек.", "Билеты стоят 45,50 рубля."),
    ("Всё, что нужно знать: «Паром отходит в 9:30».", "Паром отходит в 9.30!"),
    ("Пользователь установил PostgreSQL 16 и Redis.", "Установлены Redis и PostgreSQL 16."),
    ("Да", "Да"), ("Да", "Нет"), ("Нет данных", ""),
    ("Из-за шторма рейс отменили, деньги вернули.", "Рейс отменён из-за шторма; деньги возвращены."),
    # Other scripts, emoji, marks.
    ("北京是中国的首都。", "中国的首都是北京。"),
    ("東京は日本の首都です", "東京は日本の首都です"),
    ("Great job 👍👍 🎉", "Great job 👍 🎉🎉"),
    ("👩‍👩‍👧‍👦 family", "👩‍👩‍👧 family"),
    ("café naïve façade", "cafe naive facade"),
    ("cafe\u0301 au lait", "café au lait"),
    ("Straße in Köln", "strasse in koeln"),
    ("Ελλάδα και Αθήνα", "Αθήνα και Ελλάδα"),
    ("مرحبا بالعالم", "مرحبا يا عالم"),
    ("नमस्ते दुनिया", "नमस्ते दुनिया!"),
    ("x² + y² = ½", "x2 + y2 = 1/2"),
    # Disjoint, nested.
    ("alpha beta gamma delta", "epsilon zeta eta theta"),
    ("один два три четыре", "five six seven eight"),
    ("one two three four five six", "zero one two three four five six seven"),
]


def long_pairs():
    """Texts longer than the machine words of bit-parallel algorithms, changed at random."""
    chance = random.Random(20)
    words = {
        "en": (CAT + " " + PYTHON + " Ferries leave the northern pier every twenty minutes until midnight").split(),
        "ru": (VOLGA + " Паромы отходят от северного причала каждые двадцать минут до полуночи").split(),
    }
    for number in range(30):
        base = words["ru" if number % 2 else "en"]
        reference = [chance.choice(base) for _ in range(chance.randint(20, 140))]
        answer = list(reference)
        for _ in range(chance.randint(0, 40)):
            at = chance.randrange(len(answer))
            change = chance.random()
            if change < 0.4:
                answer[at] = chance.choice(base)
            elif change < 0.7 and len(answer) > 5:
                del answer[at]
            else:
                answer.insert(at, chance.choice(base))
        yield " ".join(reference), " ".join(answer)


russian, english = snowballstemmer.stemmer("russian"), snowballstemmer.stemmer("english")
porter = PorterStemmer()
UNSPACED = r"[\u0e00-\u0eff\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"


def folded(text):
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).lower())
    text = text.replace("ё", "е").replace("\u2019", "'").replace("\u02bc", "'")
    return regex.sub("[\u0300\u0301\u00ad\u200b-\u200d\u2060\ufeff]", "", text)


def runs(text):
    return regex.findall(r"[\p{Alphabetic}\p{N}\u0300-\u036f]+", text)


class AnyScript(tokenizers.Tokenizer):
    def tokenize(self, text):
        words = []
        for run in runs(text.lower()):
            for part in [run] if run.isascii() else runs(folded(run)):
                words += self.ascii(part) if part.isascii() else self.other(part)
        return words

    def ascii(self, word):
        return [porter.stem(word) if len(word) > 3 else word]

    def other(self, run):
        for word in regex.findall(f"{UNSPACED}|(?:(?!{UNSPACED}).)+", run):
            if regex.search(r"\p{Cyrillic}", word):
                word = russian.stemWord(word)
            elif regex.search(r"\p{Latin}", word):
                word = english.stemWord(word)
            yield word


tokenizer = AnyScript()
names = {"rouge_1": "rouge1", "rouge_2": "rouge2", "rouge_l": "rougeL"}
plain_rouge = rouge_scorer.RougeScorer(list(names.values()), use_stemmer=True)
any_rouge = rouge_scorer.RougeScorer(list(names.values()), tokenizer=tokenizer)


def rouge(reference, answer):
    scores = any_rouge.score(reference, answer)
    if not regex.search(r"[^\x00-\x7f]", regex.sub(r"[^\p{Alphabetic}\p{N}]", "", reference + answer)):
        assert scores == plain_rouge.score(reference, answer), (reference, answer)
    count = len(tokenizer.tokenize(reference))
    has = {"rouge_1": count > 0, "rouge_2": count > 1, "rouge_l": count > 0}
    return {name: float(scores[theirs].fmeasure) if has[name] else None for name, theirs in names.items()}


def normalized(text, is_english):
    kept = "".join(c for c in folded(text) if not (unicodedata.category(c).startswith("P") or c in "$+<=>^`|~"))
    bare = [word for word in kept.split() if not (is_english and word in ("a", "an", "the"))]
    return bare or kept.split()


def squad(reference, answer):
    cyrillic = len(regex.findall(r"\p{Cyrillic}", reference))
    is_english = not (cyrillic and cyrillic * 2 >= len(regex.findall(r"\p{Latin}", reference)))
    right, ours = normalized(reference, is_english), normalized(answer, is_english)
    if not right:
        return {"exact_match_normalized": None, "token_f1": None}
    rest, same = list(right), 0
    for word in ours:
        if word in rest:
            rest.remove(word)
            same += 1
    p, r = same / max(len(ours), 1), same / len(right)
    return {"exact_match_normalized": float(ours == right), "token_f1": 2 * p * r / (p + r) if same else 0.0}


def similarity(measure, reference, answer):
    return measure.normalized_similarity(reference, answer) if answer else 0.0


def row(reference, answer):
    return {
        "reference": reference,
        "answer": answer,
        "values": {
            "bleu": BLEU().corpus_score([answer], [[reference]]).score / 100,
            "chrf": CHRF().corpus_score([answer], [[reference]]).score / 100,
            "chrf_pp": CHRF(word_order=2).corpus_score([answer], [[reference]]).score / 100,
            **rouge(reference, answer),
            **squad(reference, answer),
            "exact_match": float(reference == answer),
            "string_presence": float(reference in answer),
            "levenshtein_similarity": similarity(Levenshtein, reference, answer),
            "hamming_similarity": similarity(Hamming, reference, answer),
            "jaro_similarity": similarity(Jaro, reference, answer),
            "jaro_winkler_similarity": similarity(JaroWinkler, reference, answer),
        },
    }


def stems():
    bases = "relat condit digit radic differ vile analog vietnam predic oper feud decis hope call form sens " \
        "triplic electr good reviv allow infer airlin gyroscop adjust defens irrit replac depend adopt homolog " \
        "commun activ angular effect bowdler prob rate ceas control roll fall hiss fizz fail fil hop tann siz " \
        "troubl conflat plaster motor agre fe enjoy happ tr sp fl geo theo apolo y yy toy syzygy x9".split()
    ends = "s es ies ss sses ed eed ied ing ational tional enci anci izer bli alli entli eli ousli ization ation " \
        "ator alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al " \
        "ance ence er ic able ible ant ement ment ent sion tion ion ou ism ate iti ous ive ize e ll y ly lly".split()
    words = {base + end for base in bases for end in ends} | set(porter.pool)
    corpus = HERE.parents[1] / "ragmeter-cli/assets/quickstart/en/corpus"
    for page in sorted(corpus.iterdir()):
        words |= set(regex.findall("[a-z]+", page.read_text().lower()))
    return [f"{word}\t{porter.stem(word)}" for word in sorted(words)]


rows = [row(*pair) for pair in [*PAIRS, *long_pairs()]]
with open(HERE / "lexical.json", "w") as out:
    out.write("[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in rows) + "\n]\n")
(HERE / "lexical_stems.tsv").write_text("\n".join(stems()) + "\n")
print(len(rows), "pairs")
