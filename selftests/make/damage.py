# SPDX-License-Identifier: GPL-2.0-only
"""damage.py FOLDER N SEED COUNTS ATOM-RUNS LIST RECORDING: N damaged inputs for csflow merge.

COUNTS and ATOM-RUNS are csflow's files, LIST is a branch list of version 0, RECORDING a perf.data with
one in its feature section.  Each damage can be told from the bytes: a count that is another one, in a
format without a checksum, cannot.
"""
import ctypes
import ctypes.util
import os
import random
import struct
import sys
import zlib

zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
for f in "ZSTD_compressBound", "ZSTD_compress":
    getattr(zstd, f).restype = ctypes.c_size_t
zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
zstd.ZSTD_compress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
MAGIC = b"simpleperf:EtmBranchList"


def pack(data):
    room = zstd.ZSTD_compressBound(len(data))
    out = ctypes.create_string_buffer(room)
    n = zstd.ZSTD_compress(out, room, data, len(data), 3)
    return out.raw[:n]


def leb(v):
    out = b""
    while v >= 0x80:
        out += bytes([v & 0x7f | 0x80])
        v >>= 7
    return out + bytes([v])


class Reader:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def number(self):
        v = shift = 0
        while True:
            b = self.data[self.at]
            self.at += 1
            v |= (b & 0x7f) << shift
            shift += 7
            if b < 0x80:
                return v

    def bytes(self, n):
        self.at += n
        return self.data[self.at - n:self.at]


# ---------------------------------------------------------------- count tables

def parse_counts(data):
    r = Reader(data, 16)
    stats = [r.number() for _ in range(r.number())]
    files = []
    for _ in range(r.number()):
        f = {"kind": r.number()}
        f["id"] = r.bytes(r.number())
        f["name"] = r.bytes(r.number())
        f["lost"] = r.number()
        f["blocks"], f["edges"] = [], []
        for _ in range(r.number()):
            b = [r.number() for _ in range(5)]
            b += [r.number() for _ in range(3 if b[3] & 128 else 2)]
            f["blocks"].append(b)
        for _ in range(r.number()):
            f["edges"].append([r.number() for _ in range(4)])
        files.append(f)
    return stats, files


def build_counts(stats, files, lie=None, tail=b""):
    """lie: (what, file, number): a number that is not the right one"""
    def n(what, i, right):
        return leb(lie[2] if lie and lie[:2] == (what, i) else right)
    body = n("stats", 0, len(stats)) + b"".join(map(leb, stats)) + n("files", 0, len(files))
    for i, f in enumerate(files):
        body += leb(f["kind"]) + n("id", i, len(f["id"])) + f["id"] + n("name", i, len(f["name"])) + f["name"]
        body += leb(f["lost"]) + n("blocks", i, len(f["blocks"]))
        body += b"".join(leb(v) for b in f["blocks"] for v in b) + n("edges", i, len(f["edges"]))
        body += b"".join(leb(v) for e in f["edges"] for v in e)
    body += tail
    return b"CSFCOUNT" + struct.pack("<II", 1, zlib.crc32(body)) + body


def damage_counts(data, kind):
    stats, files = parse_counts(data)
    i = random.choice([i for i, f in enumerate(files) if len(f["blocks"]) > 1 and f["edges"]])
    f = files[i]
    k = random.randrange(1, len(f["blocks"]))
    many = random.choice([0xffffffff, 1 << 40, (1 << 64) - 1])
    if kind == 0:
        return data[:random.randrange(8, len(data))]
    if kind == 1:
        body = bytearray(data)
        body[random.randrange(8, len(data))] ^= 1 << random.randrange(8)
        return bytes(body)
    if kind == 2:
        return data[:8] + data[8:12][::-1] + data[12:16][::-1] + data[16:]
    if kind == 3:
        return build_counts(stats, files, ("files", 0, random.choice([len(files) + 1, len(files) - 1, many])))
    if kind == 4:
        return build_counts(stats, files, (random.choice(["blocks", "edges"]), i, many))
    if kind == 5:
        return build_counts(stats, files, (random.choice(["id", "name"]), i, random.choice([4097, many])))
    if kind == 6:
        return build_counts(stats, files[:i] + [f] + files[i:])
    if kind == 7:
        f["blocks"].insert(k, [0] + f["blocks"][k - 1][1:])
    elif kind == 8:
        f["blocks"][k][-2:] = [0, 0]
    elif kind == 9:
        f["blocks"][k][random.randrange(1, 3)] = random.choice([0, 5000, many])
    elif kind == 10:
        random.choice(f["edges"])[1] = len(files) + random.choice([1, many])
    elif kind == 11:
        f["edges"].insert(1, [0] + f["edges"][0][1:])
    elif kind == 12:
        random.choice(f["edges"])[3] = 0
    elif kind == 13:
        return build_counts(stats, files, tail=bytes(random.randrange(1, 9)))
    elif kind == 14:
        f["name"] = f["name"][:1] + b"\0" + f["name"][1:]
    elif kind == 15:
        # the kernel comes after all programs
        files.insert(0, dict(f, kind=1, edges=[]))
    elif kind == 16:
        f["kind"] = random.choice([5, 7, 16, many])
    else:
        return build_counts(stats, files, tail=b"") [:16] + b"\xff" * 11
    return build_counts(stats, files)


COUNTS = 18

# ---------------------------------------------------------------- branch lists

def fields(data):
    r, out = Reader(data), []
    while r.at < len(data):
        tag = r.number()
        out.append([tag >> 3, tag & 7, r.number() if not tag & 7 else r.bytes(r.number())])
    return out


def build(message):
    out = b""
    for number, kind, value in message:
        out += leb(number << 3 | kind)
        out += leb(value) if not kind else leb(len(value)) + value
    return out


def change_run(message, change):
    """Changes a random atom run by change(fields)."""
    top = fields(message)
    files = [i for i, f in enumerate(top) if f[0] == 2]
    i = random.choice(files)
    binary = fields(top[i][2])
    k = random.choice([k for k, f in enumerate(binary) if f[0] == 3])
    addr = fields(binary[k][2])
    j = random.choice([j for j, f in enumerate(addr) if f[0] == 2])
    run = fields(addr[j][2])
    change(run)
    addr[j][2] = build(run)
    binary[k][2] = build(addr)
    top[i][2] = build(binary)
    return build(top)


def set_field(number, value):
    def change(run):
        for f in run:
            if f[0] == number:
                f[2] = value(f[2]) if callable(value) else value
    return change


def pad(bits):
    return bits + b"\0"


def damage_message(m, kind):
    many = random.choice([1 << 20, 1 << 31, (1 << 32) - 1, (1 << 63)])
    if kind == 0:
        # a cut between two fields of the message leaves a message
        ends, r = set(), Reader(m)
        while r.at < len(m):
            ends.add(r.at)
            tag = r.number()
            r.bytes(r.number()) if tag & 7 else r.number()
        return m[:random.choice([i for i in range(30, len(m)) if i not in ends])]
    if kind == 1:
        return change_run(m, set_field(2, lambda n: n + 8 * random.randrange(1, 100)))
    if kind == 2:
        return change_run(m, set_field(2, many))
    if kind == 3:
        return change_run(m, set_field(1, pad))
    if kind == 4:
        return change_run(m, set_field(3, 0))
    if kind == 5:
        return change_run(m, lambda run: run.append([random.randrange(4, 99), 0, 1]))
    if kind == 6:
        return m + m
    if kind == 7:
        top = fields(m)
        i = random.choice([i for i, f in enumerate(top) if f[0] == 2])
        return build(top[:i] + [top[i]] + top[i:])
    if kind == 8:
        top = fields(m)
        i = random.choice([i for i, f in enumerate(top) if f[0] == 2])
        binary = fields(top[i][2])
        for f in binary:
            if f[0] == 2:
                f[2] = b"not hexadecimal!"
            if f[0] == 4:
                f[2] = 9
        top[i][2] = build(binary + [[4, 0, 9]])
        return build(top)
    # a group, which protobuf has no more; or a type that it never had
    return m + bytes([2 << 3 | random.choice([3, 4, 6, 7])])


MESSAGES = 10


def list_v1(messages, packed, sizes=None):
    body = b""
    for i, m in enumerate(messages):
        body += struct.pack("<I", sizes[i] if sizes else len(m)) + m
    return MAGIC + struct.pack("<IB", 1, packed) + (pack(body) if packed else body)


def damage_v1(m, kind, packed):
    n = len(m)
    good = list_v1([m], packed)
    if kind == 0:
        return list_v1([m, m], packed)
    if kind == 1:
        return list_v1([m], packed, [random.choice([n + 1, n - 1, 0xffffffff, 1 << 31, 1 << 20])])
    if kind == 2:
        return list_v1([m], packed, [struct.unpack(">I", struct.pack("<I", n))[0]])
    if kind == 3:
        return good[:24] + struct.pack(">I", 1) + good[28:]
    if kind == 4:
        return good[:24] + struct.pack("<IB", 1, random.randrange(2, 256)) + good[29:]
    if kind == 5:
        return good[:24] + struct.pack("<IB", random.choice([0, 2, 77]), packed) + good[29:]
    if kind == 6:
        return good[:random.randrange(24, 29)]
    if kind == 7:
        return good[:random.randrange(30, len(good))]
    if kind == 8:
        return good + bytes(random.randrange(1, 4))
    # the head of the frame, or the size
    body = bytearray(good)
    body[random.randrange(29, 33)] ^= 1 << random.randrange(8)
    return bytes(body)


V1 = 10


def damage_recording(data, kind):
    body = bytearray(data)
    features = sum(struct.unpack_from("<QQ", data, 40))
    if kind == 0:
        return data[:random.randrange(16, features)]
    # the table of features: that of the list is the last one
    bits = struct.unpack_from("<4Q", data, 72)
    n = sum(bin(b).count("1") for i, b in enumerate(bits) if i < 2) + bin(bits[2] & 31).count("1")
    at = features + 16 * n
    offset, size = struct.unpack_from("<QQ", data, at)
    if kind == 1:
        struct.pack_into("<QQ", body, at, offset, random.choice([len(data), 1 << 40, (1 << 64) - 1]))
    elif kind == 2:
        struct.pack_into("<QQ", body, at, random.choice([len(data), 1 << 40, (1 << 64) - 8]), size)
    else:
        struct.pack_into("<QQ", body, at, offset, size - random.choice([1, 2, 3]))
    return bytes(body)


RECORDINGS = 4


def damage_runs(data, kind):
    if kind == 0:
        return data[:random.randrange(16, len(data))]
    if kind == 1:
        return data[:8] + data[8:12][::-1] + data[12:16][::-1] + data[16:]
    body = bytearray(data)
    body[random.randrange(12, len(data))] ^= 1 << random.randrange(8)
    return bytes(body)


def other(kind):
    return [b"", b"main:184019:1797\n 1: 3\n", b"adcg" + bytes(40), os.urandom(100), b"\x7fELF" + bytes(60),
            b"1\n0-4:77\n0\n", b"CSFCOUNT", b"PERFILE2" + bytes(100), MAGIC[:20], b"3\n"][kind]


def main():
    folder, n, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    counts, runs, message, recording = (open(p, "rb").read() for p in sys.argv[4:8])
    random.seed(seed)
    kinds = [("counts", COUNTS), ("v0", MESSAGES), ("v1", V1), ("zstd", V1), ("in-v1", MESSAGES),
             ("in-zstd", MESSAGES), ("recording", RECORDINGS), ("runs", 3), ("other", 10)]
    kinds = [(name, k) for name, how in kinds for k in range(how)]
    os.makedirs(folder, exist_ok=True)
    for i in range(n):
        name, k = kinds[i % len(kinds)]
        if name == "counts":
            data = damage_counts(counts, k)
        elif name == "v0":
            data = damage_message(message, k)
        elif name in ("v1", "zstd"):
            data = damage_v1(message, k, name == "zstd")
        elif name.startswith("in-"):
            data = list_v1([damage_message(message, k)], name == "in-zstd")
        elif name == "recording":
            data = damage_recording(recording, k)
        elif name == "runs":
            data = damage_runs(runs, k)
        else:
            data = other(k)
        with open("%s/%05d-%s-%d" % (folder, i, name, k), "wb") as f:
            f.write(data)


main()
