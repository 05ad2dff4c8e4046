#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# truth_count.py LOG: of a truth log of A64 (Documentation/truth-log.rst), what branch samples of the
# same execution must add up to: instructions, calls (BL, BLR) and returns (RET), of what is in the
# trace.

import struct
import sys

BLOCK, PART, LOST, FOUND = 1, 2, 6, 7


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def bytes(self, n):
        self.at += n
        return self.data[self.at - n:self.at]


def chunks(data):
    at = 16
    while at + 8 <= len(data):
        cpu, n = struct.unpack_from("<II", data, at)
        yield cpu, data[at + 8:at + 8 + n]
        at += 8 + n


def define(blocks, payload):
    r = Reader(payload)
    number, addr, isa, n = r.number(), r.number(), r.number(), r.number()
    if isa:
        sys.exit("truth_count.py: A64 only")
    code = r.bytes(4 * n)
    blocks[number] = [struct.unpack_from("<I", code, 4 * i)[0] for i in range(n)]


class Count:
    def __init__(self):
        self.insns = self.calls = self.returns = 0
        self.lost = {}

    def run(self, cpu, words):
        if self.lost.get(cpu):
            return
        self.insns += len(words)
        for w in words:
            if w >> 26 == 0b100101 or w & 0xfffffc1f == 0xd63f0000:
                self.calls += 1
            elif w & 0xfffffc1f == 0xd65f0000:
                self.returns += 1


def main(path):
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
    print(count.insns, count.calls, count.returns)


main(sys.argv[1])
