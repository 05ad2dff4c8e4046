#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# truth_calls.py LOG PROGRAM JSON: does the timeline JSON, as csflow timeline --for=chrome writes it, have the
# calls that the truth log LOG (Documentation/format/truth-log.rst) of the static A64 PROGRAM has?
# Thread by thread, the same slices must begin and end, in the same order, and times must not go
# back.
#
# Exits with 3 if some of it is not in the trace, so that there is nothing to compare.
#
# The log has each instruction, so calls (BL, BLR), returns (RET) and jumps are read off the
# instructions themselves, and functions off the symbols that readelf lists.

import bisect
import json
import subprocess
import sys

from plt_stubs import stubs
from truth_count import BLOCK, LOST, FOUND, PART, Reader, chunks
import struct

THREAD, EXCEPTION = 3, 5
CALL = 2
ASYNC = (0, 1, 4, 14, 15)


class Symbols:
    """Functions of a program: which is at an address, and all names that it has."""

    def __init__(self, path):
        self.names, sizes = {}, {}
        # number, name, type, address, offset, size
        sections = [f for f in self.readelf("-SW", path) if len(f) > 8 and "AX" in f]
        text = [f[0].strip("[]") for f in sections]
        for f in self.readelf("-sW", path):
            if len(f) < 8 or f[3] not in ("FUNC", "NOTYPE", "IFUNC") or f[6] == "UND":
                continue
            if f[7].startswith("$") or f[6] == "ABS":
                continue
            addr = int(f[1], 16)
            if f[3] == "NOTYPE" and f[6] not in text:
                continue
            self.names.setdefault(addr, set()).add(f[7])
            sizes[addr] = max(sizes.get(addr, 0), int(f[2], 0))
        for addr, size, name in stubs(path):
            self.names[addr], sizes[addr] = {name}, size
        self.end = max(int(f[3], 16) + int(f[5], 16) for f in sections)
        self.start = sorted(self.names)
        self.sizes = sizes

    @staticmethod
    def readelf(what, path):
        run = subprocess.run(["readelf", what, path], capture_output=True, text=True, check=True)
        return [line.replace("[ ", "[").split() for line in run.stdout.splitlines()]

    def at(self, addr):
        """Where the function begins; None: there is none."""
        i = bisect.bisect_right(self.start, addr) - 1
        if i < 0:
            return None
        size = self.sizes[self.start[i]]
        if size:
            return self.start[i] if addr < self.start[i] + size else None
        # without a size: up to the next one, or the end of the code
        return self.start[i] if addr < self.end else None


def executed(path):
    """Of each thread: [pc, words] and ("exception", type, return address), in order."""
    with open(path, "rb") as f:
        data = f.read()
    blocks, slices, at = {}, [], {}
    for cpu, content in chunks(data):
        r = Reader(content)
        while r.more():
            n = r.number()
            if n:
                at[cpu].append(blocks[n])
                continue
            kind, p = r.number(), Reader(r.bytes(r.number()))
            if kind == BLOCK:
                number, addr, isa, count = p.number(), p.number(), p.number(), p.number()
                assert not isa, "A64 only"
                code = p.bytes(4 * count)
                blocks[number] = (addr, struct.unpack("<%dI" % count, code))
            elif kind == PART:
                block, first, count = p.number(), p.number(), p.number()
                addr, words = blocks[block]
                at[cpu].append((addr + 4 * first, words[first:first + count]))
            elif kind == THREAD:
                _, tid, order = p.number(), p.number(), p.number()
                at[cpu] = []
                slices.append((order, tid, at[cpu]))
            elif kind == EXCEPTION:
                at[cpu].append(("exception", p.number(), p.number()))
            if kind in (LOST, FOUND):
                sys.exit(3)
    threads = {}
    for _, tid, items in sorted(slices, key=lambda s: s[0]):
        threads.setdefault(tid, []).extend(items)
    return threads


class Calls:
    """What begins, ("B", what), and ends, ("E",), as a thread goes on; what: a function's address, or a word."""

    def __init__(self, symbols):
        self.symbols, self.events = symbols, []
        self.stack = []             # [what, return address, function that it was before]
        self.handled = set()        # places in the stack of handlers that have returned

    def begin(self, what, ret=None, before=None):
        self.events.append(("B", what))
        self.stack.append([what, ret, before])

    def end(self, left):
        while len(self.stack) > left:
            self.events.append(("E",))
            self.stack.pop()
            self.handled.discard(len(self.stack))

    def become(self, what):
        top = self.stack[-1]
        self.end(len(self.stack) - 1)
        self.begin(what, top[1], top[0])

    def jump(self, to):
        what, top = self.symbols.at(to), self.stack[-1]
        if top[0] == what:
            return
        if to != what and top[2] != what:
            for i in range(len(self.stack) - 1, -1, -1):
                if self.stack[i][0] == what:
                    self.end(i + 1)
                    return
        self.become(what)

    def back(self, to):
        for i in range(len(self.stack) - 1, -1, -1):
            if self.stack[i][1] == to:
                self.end(i)
                return
        if len(self.stack) == 1 or self.stack[-2][0] == "signal":
            if len(self.stack) > 1:
                self.handled.add(len(self.stack) - 2)
            self.become(self.symbols.at(to))
        else:
            self.jump(to)

    def branch(self, pc, word, to):
        if word >> 26 == 0b100101 or word & 0xfffffc1f == 0xd63f0000:
            if to != pc + 4:
                self.begin(self.symbols.at(to), pc + 4)
        elif word & 0xfffffc1f == 0xd65f0000:
            self.back(to)
        elif (to != pc + 4 or word >> 26 == 0b000101) and self.symbols.at(to) != self.symbols.at(pc):
            self.jump(to)

    def exception(self, kind, word, ret):
        svc = word & 0xffe0001f == 0xd4000001
        what = "syscall" if kind == CALL and svc else "interrupt" if kind in ASYNC else "exception"
        self.begin(what)
        self.came_from = ret

    def resume(self, to):
        self.end(len(self.stack) - 1)
        ret = self.came_from
        if to == ret:
            return
        for i in range(len(self.stack) - 1, -1, -1):
            if self.stack[i][1] == to:
                self.end(i)
                return
        if to in self.symbols.names:
            if len(self.stack) > 1 and len(self.stack) - 2 in self.handled:
                ret = self.stack[-2][1]
                self.end(len(self.stack) - 2)
            self.begin("signal", ret)
            self.begin(to)
            return
        for i in range(len(self.stack) - 1, -1, -1):
            if self.stack[i][0] == self.symbols.at(to):
                self.end(i + 1)
                return
        self.end(0)
        self.begin(self.symbols.at(to))


def calls_of(items, symbols):
    c = Calls(symbols)
    pc = word = None
    away = False
    for item in items:
        if item[0] == "exception":
            # a branch that reached its target before it was interrupted there
            if item[2] != pc + 4 and item[2] != pc and word is not None:
                c.branch(pc, word, item[2])
            c.exception(item[1], word, item[2])
            away = True
            continue
        to, words = item
        if pc is None:
            c.begin(symbols.at(to))
        elif away:
            c.resume(to)
        else:
            c.branch(pc, word, to)
        away = False
        pc, word = to + 4 * len(words) - 4, words[-1]
    c.end(0)
    return c.events


def drawn(path):
    """Events of each thread in the timeline; checks that they balance and that time goes on."""
    with open(path, "rb") as f:
        events = json.load(f)["traceEvents"]
    threads, clock, depth = {}, {}, {}
    for e in events:
        if e["ph"] not in "BE":
            continue
        key = (e["pid"], e["tid"])
        assert e["ts"] >= clock.get(key, 0), "time goes back: %s" % e
        clock[key] = e["ts"]
        depth[key] = depth.get(key, 0) + (1 if e["ph"] == "B" else -1)
        assert depth[key] >= 0, "an end without a beginning: %s" % e
        if e["pid"]:
            threads.setdefault(e["tid"], []).append((e["ph"], e.get("name"), e["ts"]))
    assert not any(depth.values()), "what begins must end"
    return threads


def same(ours, theirs, symbols):
    if ours[0] != theirs[0] or ours[0] == "E":
        return ours[0] == theirs[0]
    what = theirs[1]
    if what is None:
        return ours[1].startswith(("[", "0x"))
    return ours[1] == what or ours[1] in symbols.names.get(what, ())


def main(log, program, timeline):
    symbols = Symbols(program)
    threads, ours, n = executed(log), drawn(timeline), 0
    if set(threads) != set(ours):
        sys.exit("threads %s, and not %s" % (sorted(ours), sorted(threads)))
    for tid, items in threads.items():
        want, have = calls_of(items, symbols), ours[tid]
        for i in range(max(len(want), len(have))):
            if i < min(len(want), len(have)) and same(have[i], want[i], symbols):
                continue
            near = [(e[0], symbols.names.get(e[1], e[1])) if e[0] == "B" else "E" for e in want[max(i - 8, 0):i + 3]]
            sys.exit("thread %d, event %d:\nwant %s\nhave %s" % (tid, i, near, have[max(i - 8, 0):i + 3]))
        n += len(want)
    print("%d of %d threads" % (n, len(threads)))


if __name__ == "__main__":
    main(*sys.argv[1:])
