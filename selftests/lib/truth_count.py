#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# truth_count.py LOG: from a truth log of A64 (Documentation/format/truth-log.rst), the sums that
# branch samples of the same execution must have: instructions, calls (BL, BLR) and returns (RET) of
# the code in the trace.
#
# truth_count.py LOG who: how often each instruction was executed, a line each: thread, CPU, address,
# times.

import struct
import sys

from truth_log import Reader, chunks

BLOCK, PART, THREAD, LOST, FOUND = 1, 2, 3, 6, 7


def define(blocks, payload):
    r = Reader(payload)
    number, addr, isa, n = r.number(), r.number(), r.number(), r.number()
    if isa:
        sys.exit("truth_count.py: A64 only")
    code = r.bytes(4 * n)
    blocks[number] = [(addr + 4 * i, struct.unpack_from("<I", code, 4 * i)[0]) for i in range(n)]


class Count:
    def __init__(self):
        self.insns = self.calls = self.returns = 0
        self.lost = {}
        self.thread = {}
        self.times = {}

    def run(self, cpu, insns):
        if self.lost.get(cpu):
            return
        self.insns += len(insns)
        who = self.times.setdefault((self.thread.get(cpu, 0), cpu), {})
        for addr, w in insns:
            who[addr] = who.get(addr, 0) + 1
            if w >> 26 == 0b100101 or w & 0xfffffc1f == 0xd63f0000:
                self.calls += 1
            elif w & 0xfffffc1f == 0xd65f0000:
                self.returns += 1


def main(path, who=None):
    with open(path, "rb") as f:
        data = f.read()
    blocks, count = {}, Count()
    for cpu, content in chunks(data):
        r = Reader(content)
        while r.more():
            n = r.number()
            if n:
                count.run(cpu, blocks[n])
                continue
            kind, payload = r.number(), None
            payload = r.bytes(r.number())
            if kind == BLOCK:
                define(blocks, payload)
            elif kind == PART:
                p = Reader(payload)
                block, first, n = p.number(), p.number(), p.number()
                count.run(cpu, blocks[block][first:first + n])
            elif kind in (LOST, FOUND):
                count.lost[cpu] = kind == LOST
            elif kind == THREAD:
                p = Reader(payload)
                p.number()
                count.thread[cpu] = p.number()
    if not who:
        print(count.insns, count.calls, count.returns)
        return
    for (thread, cpu), times in count.times.items():
        for addr, n in times.items():
            print(thread, cpu, "%x" % addr, n)


if __name__ == "__main__":
    main(*sys.argv[1:])
