#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# wrap.py OUT --block FILE:OFFSET:LENGTH [OPTIONS]   wraps trace as perf record on Linux would
#
# For comparing with perf itself, so it shares nothing with our own writer.  One CPU or thread has
# the block --repeat times, cut into an AUX record every --aux-every of them.  --saved=records: AUX
# records are empty, and there is no trace; --saved=first: but for that of the first; --saved=nothing:
# there are none, either.
import argparse
import struct

PMU, ETM_ID, DUMMY_ID, DATA = 8, 100, 200, 0x1000
REGISTERS = [0x28000EA1, 0x4100F422, 0x20001088, 0, 0x8C]
NONE32, NONE64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF

parser = argparse.ArgumentParser()
parser.add_argument("out")
parser.add_argument("--block", required=True)
parser.add_argument("--repeat", type=int, default=1)
parser.add_argument("--aux-every", type=int, default=1)
parser.add_argument("--version", type=int, default=1)
parser.add_argument("--per-thread", action="store_true")
parser.add_argument("--cpu", type=int, default=7)
parser.add_argument("--tid", type=int, default=17235)
parser.add_argument("--file", default="/data/local/tmp/etm_test_loop")
parser.add_argument("--no-map", action="store_true")
parser.add_argument("--truncated", action="store_true")
parser.add_argument("--saved", choices=("all", "first", "records", "nothing"), default="all")
args = parser.parse_args()


def record(kind, body, misc=0):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(s):
    s = s.encode() + b"\0"
    return s + b"\0" * (-len(s) % 8)


def sample_id(time, event=ETM_ID):
    return struct.pack("<IIQIIQ", args.tid, args.tid, time, args.cpu, 0, event)


def metadata():
    words = [args.version, PMU << 32 | 8, 0]
    for cpu in range(8):
        unit = [0x40, 0x10 + 2 * cpu] + REGISTERS
        words += [0x4040404040404040, cpu] + ([len(unit)] if args.version else []) + unit
    return record(70, struct.pack("<II%dQ" % len(words), 3, 0, *words))


def sideband():
    entries = [(ETM_ID, 0 if args.per_thread else args.cpu,
                NONE64 if args.per_thread else args.cpu,
                args.tid if args.per_thread else NONE64),
               (DUMMY_ID, 0, 0, NONE64)]
    out = record(69, struct.pack("<Q", 2) + b"".join(struct.pack("<4Q", *e) for e in entries))
    out += record(3, struct.pack("<II", args.tid, args.tid) + text("etm_test_loop") +
                  sample_id(1000, DUMMY_ID))
    if not args.no_map:
        out += record(10, struct.pack("<IIQQQIIQQII", args.tid, args.tid, 0x582B2B1000, 0x1000,
                                      0x1000, 0, 0, 0, 0, 5, 2) + text(args.file) +
                      sample_id(1001, DUMMY_ID), misc=2)
    return out + record(12, struct.pack("<II", args.tid, args.tid) + sample_id(1002))


def trace(block):
    out, at, n = b"", 0, 0
    if args.saved == "nothing":
        return out, 0
    saved = {"all": args.repeat, "first": 1, "records": 0}[args.saved]
    while n < args.repeat:
        part = min(args.aux_every, args.repeat - n)
        n += part
        flags = 1 if args.truncated and (n == args.repeat or n > saved) else 0
        out += record(11, struct.pack("<QQQ", at, part * len(block) if n <= saved else 0, flags) +
                      sample_id(2000 + n))
        at += part * len(block)
    if not saved:
        return out, 0
    place = len(out)
    out += record(71, struct.pack("<QQQIIII", saved * len(block), 0, 0x1122334455667788,
                                  0 if args.per_thread else args.cpu,
                                  args.tid if args.per_thread else NONE32,
                                  NONE32 if args.per_thread else args.cpu, 0))
    return out + block * saved, place


def attribute(kind, config, flags):
    return struct.pack("<IIQQQQQ", kind, 128, config, 1, 0x10087, 4, flags).ljust(128, b"\0")


name, offset, length = args.block.split(":")
with open(name, "rb") as f:
    f.seek(int(offset, 0))
    data = f.read(int(length, 0))
before = metadata() + sideband()
buffers, place = trace(data)
records = before + buffers + record(68, b"")

ids = struct.pack("<QQ", ETM_ID, DUMMY_ID)
attrs = attribute(PMU, 0x4000, 0x41063) + struct.pack("<QQ", 104, 8)
attrs += attribute(1, 9, 0x843363) + struct.pack("<QQ", 112, 8)
features = [(6, struct.pack("<I", 64) + b"aarch64".ljust(68, b"\0"))]
if place:
    features += [(18, struct.pack("<QQQ", 1, DATA + len(before) + place, 48))]
at = DATA + len(records) + 16 * len(features)
table = body = b""
for _, section in features:
    table += struct.pack("<QQ", at + len(body), len(section))
    body += section
bits = sum(1 << bit for bit, _ in features)
header = b"PERFILE2" + struct.pack("<12Q", 104, 144, 120, len(attrs), DATA, len(records), 0, 0,
                                   bits, 0, 0, 0)
with open(args.out, "wb") as f:
    f.write((header + ids + attrs).ljust(DATA, b"\0") + records + table + body)
