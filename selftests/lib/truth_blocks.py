#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# truth_blocks.py LOG COUNTS.JSON [JITDUMP]...: the counts that csflow profile --for=json must give
# for an execution of A64, block by block and edge by edge, from the truth log alone
# (Documentation/format/truth-log.rst).  Prints how much was compared, or the differences, and exits
# with 1.
#
# Documentation/format/counts.rst defines a block.  Two different files that were executable at one
# address, one after the other, are refused: the log does not give the order of other CPUs.  Code
# that is in no file is known from its jitdump, to which a page of it is written when it is reached
# for the first time: then there is an interrupt, and the branch to it has not reached it yet.

import bisect
import collections
import json
import os
import struct
import sys

from truth_log import Reader, chunks

BLOCK, PART, THREAD, EXCEPTION, LOST, FOUND, MAP, END = 1, 2, 3, 5, 6, 7, 9, 14
EXECUTABLE = 4
MOST = 1024


class Refused(Exception):
    pass


# ---------------------------------------------------------------- instructions

def target_of(word, addr):
    """Where a direct branch goes, or None."""
    def plus(bits, shift):
        offset = word >> shift & (1 << bits) - 1
        return addr + 4 * (offset - (offset >> bits - 1 << bits)) & (1 << 64) - 1

    if word & 0x7c000000 == 0x14000000:             # B, BL
        return plus(26, 0)
    if word & 0xff000000 == 0x54000000:             # B.cond, BC.cond
        return plus(19, 5)
    if word & 0x7e000000 == 0x34000000:             # CBZ, CBNZ
        return plus(19, 5)
    if word & 0x7e000000 == 0x36000000:             # TBZ, TBNZ
        return plus(14, 5)
    return None


def is_conditional(word):
    return word & 0xff000000 == 0x54000000 or word & 0x7c000000 == 0x34000000


def is_indirect(word):
    return word & 0xfe000000 == 0xd6000000          # BR, BLR, RET, ERET and their kin


def is_isb(word):
    return word & 0xfffff0ff == 0xd50330df


# ---------------------------------------------------------------- where files are

class Files:
    """Executable places of each process, whenever they were there."""

    def __init__(self):
        self.places = collections.defaultdict(dict)
        self.sorted, self.late = {}, set()

    def add(self, pid, start, size, offset, name):
        self.places[pid][(start, start + size, offset)] = name

    def settle(self):
        for pid, places in self.places.items():
            rows = sorted((s, e, o, f) for (s, e, o), f in places.items())
            for a, b in zip(rows, rows[1:]):
                if b[0] < a[1] and (a[3] != b[3] or a[0] - a[2] != b[0] - b[2]):
                    raise Refused("%s and %s were at one address, %#x" % (a[3], b[3], b[0]))
            self.sorted[pid] = rows

    def find(self, pid, addr):
        """File and offset; None: no file is known there."""
        rows = self.sorted.get(pid, [])
        i = bisect.bisect_right(rows, addr, key=lambda row: row[0])
        # Maps that begin earlier may reach farther.
        for start, end, offset, file in reversed(rows[:i]):
            if addr < end:
                return file, addr - start + offset
        return None


def read_jitdump(files, path):
    path = os.path.abspath(path)
    files.late.add(path)
    with open(path, "rb") as f:
        data = f.read()
    at = struct.unpack_from("<I", data, 8)[0]
    while at + 16 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 0:
            pid, _, _, addr, length, _ = struct.unpack_from("<IIQQQQ", data, at + 16)
            files.add(pid, addr, length, at + size - length, path)
        at += size


# ---------------------------------------------------------------- one CPU

class Cpu:
    """
    What ran is followed from unit to unit: a block of the log, or a part of one.  How it goes on
    depends on what is open: the start of a block that has not ended yet and its instructions so
    far, or the branch that ended it, of which it is not known where it went.  Each (open, unit)
    is looked at once and counted.
    """

    def __init__(self, log):
        self.log, self.pid, self.lost = log, 0, False
        self.open = None
        self.step = {}

    def run(self, unit):
        if self.lost:
            return
        key = self.open, unit
        step = self.step.get(key)
        if step is None:
            step = self.step[key] = self.look(unit)
        step[0] += 1
        self.open = step[1]

    def look(self, unit):
        addr, code = unit
        self.log.pages[self.pid].add(addr >> 12)
        found, at = [], self.open
        at = self.leads_to(at, addr, found)
        start, n = at if at else (addr, 0)
        for word in code:
            n += 1
            target = target_of(word, addr)
            if target is not None or is_indirect(word):
                at = start, n, addr, word, target
            elif is_isb(word):
                found.append(("block", start, n, False, 0, 1))
                at = None
            elif n == MOST:
                found.append(("block", start, n, True, 0, 1))
                at = None
            else:
                at = start, n
            addr += 4
            if at is None or len(at) > 2:
                start, n = addr, 0
                if at and addr < unit[0] + 4 * len(code):
                    raise Refused("a unit of the log goes on behind a branch, at %#x" % addr)
        return [0, at, found]

    def leads_to(self, at, addr, found):
        """What is open when execution comes to addr: what it was, or nothing."""
        if at is None:
            return None
        if len(at) == 2:
            if at[0] + 4 * at[1] != addr:
                raise Refused("from %#x to %#x without a branch" % (at[0] + 4 * at[1], addr))
            return at
        start, n, branch, word, target = at
        behind = branch + 4
        if is_conditional(word) and target == behind:
            raise Refused("nobody can tell whether %#x was taken" % branch)
        if target is not None and addr != target and not (is_conditional(word) and addr == behind):
            raise Refused("%#x does not lead to %#x" % (branch, addr))
        taken = not is_conditional(word) or addr == target
        found.append(("block", start, n, False, int(taken), int(not taken)))
        if taken:
            found.append(("edge", branch, addr))
        return None

    def stop(self, addr):
        """Execution does not go on; addr: an exception came before that was executed."""
        at, found = self.open, []
        self.open = None
        if at is None:
            return
        if len(at) == 2:
            if addr is not None and at[0] + 4 * at[1] != addr:
                raise Refused("an exception at %#x, not at %#x" % (at[0] + 4 * at[1], addr))
            found.append(("block", at[0], at[1], True, 0, 1))
        elif addr is not None:
            self.leads_to(at, addr, found)
            if addr >> 12 not in self.log.pages[self.pid]:
                found = [("first", *what[1:]) if what[0] == "edge" else what for what in found]
        elif is_conditional(at[3]):
            raise Refused("it ends at %#x, and nobody knows whether that was taken" % at[2])
        else:
            found.append(("block", at[0], at[1], False, 1, 0))
        self.log.add(self.pid, found, 1)

    def flush(self):
        for count, _, found in self.step.values():
            self.log.add(self.pid, found, count)
        self.step = {}


# ---------------------------------------------------------------- the log

class Log:
    def __init__(self, path, files):
        self.files, self.units, self.cpus = files, {}, {}
        self.parts, self.pages = {}, collections.defaultdict(set)
        self.ran = collections.defaultdict(collections.Counter)
        self.lost = 0
        with open(path, "rb") as f:
            self.read(f.read())
        for cpu in self.cpus.values():
            cpu.flush()

    def add(self, pid, found, count):
        for what in found:
            self.ran[pid][what] += count

    def read(self, data):
        for cpu, content in chunks(data):
            self.chunk(self.cpus.setdefault(cpu, Cpu(self)), content)

    def chunk(self, cpu, content):
        r, end, units = Reader(content), len(content), self.units
        while r.at < end:
            n = r.number()
            if n:
                cpu.run(units[n])
            else:
                kind = r.number()
                self.control(cpu, kind, Reader(r.bytes(r.number())))

    def control(self, cpu, kind, r):
        if kind == BLOCK:
            number, addr, isa, n = (r.number() for _ in range(4))
            if isa:
                raise Refused("A64 only")
            self.units[number] = addr, struct.unpack("<%dI" % n, r.bytes(4 * n))
        elif kind == PART:
            part = r.number(), r.number(), r.number()
            if part not in self.parts:
                addr, code = self.units[part[0]]
                self.parts[part] = addr + 4 * part[1], code[part[1]:part[1] + part[2]]
            cpu.run(self.parts[part])
        elif kind == THREAD:
            cpu.stop(None)
            cpu.flush()
            cpu.pid = r.number()
        elif kind == EXCEPTION:
            r.number()
            cpu.stop(r.number())
        elif kind in (LOST, FOUND):
            cpu.stop(None)
            cpu.lost = kind == LOST
            self.lost += cpu.lost
        elif kind == END:
            cpu.stop(None)
        elif kind == MAP:
            self.map(r)

    def map(self, r):
        pid, _, addr, size, offset, *rest = (r.number() for _ in range(11))
        r.bytes(r.number())
        name = r.bytes(len(r.data) - r.at).decode()
        if rest[4] & EXECUTABLE and name.startswith("/") and not name.startswith("//"):
            self.files.add(pid, addr, size, offset, name)

    def counts(self):
        """As those of a table: see of_json()."""
        self.files.settle()
        blocks, edges = collections.defaultdict(lambda: [0, 0]), collections.Counter()
        for pid, ran in self.ran.items():
            for what, count in ran.items():
                where = self.files.find(pid, what[1])
                if where is None:
                    raise Refused("no file is known at %#x" % what[1])
                if what[0] == "block":
                    row = blocks[(*where, what[2], what[3])]
                    row[0] += what[4] * count
                    row[1] += what[5] * count
                else:
                    to = self.files.find(pid, what[2])
                    if what[0] == "first" and to and to[0] in self.files.late:
                        to = None
                    edges[(*where, to)] += count
        return dict(blocks), dict(edges)


# ---------------------------------------------------------------- the table

def of_json(path):
    """Blocks: (file, start, instructions, cut) to taken, passed.  Edges: (file, from, to) to count."""
    with open(path, encoding="utf-8") as f:
        table = json.load(f)
    names = [f["name"] for f in table["files"]]
    blocks, edges = {}, {}
    for name, f in zip(names, table["files"]):
        for b in f["blocks"]:
            key = name, b["start"], b["instructions"], b.get("cut", False)
            if key in blocks:
                raise Refused("a block that is there twice: %s" % (key,))
            if b["size"] != 4 * b["instructions"] or b["last"] != b["start"] + b["size"] - 4:
                raise Refused("a block that cannot be: %s" % b)
            blocks[key] = [b["taken"], b["passed"]]
        for e in f["edges"]:
            to = None if e["file"] is None else (names[e["file"]], e["to"])
            edges[(name, e["from"], to)] = e["count"]
    return blocks, edges


def compare(what, truth, table):
    """Prints what differs.  Return: how much does."""
    bad = [key for key in truth.keys() | table.keys() if truth.get(key) != table.get(key)]
    for key in sorted(bad, key=str)[:10]:
        print("%s %s: executed %s, counted %s" % (what, key, truth.get(key), table.get(key)))
    if len(bad) > 10:
        print("and %d more" % (len(bad) - 10))
    return len(bad)


def main(log, counts, *jitdumps):
    files = Files()
    for path in jitdumps:
        read_jitdump(files, path)
    try:
        log = Log(log, files)
        blocks, edges = log.counts()
        bad = compare("block", blocks, of_json(counts)[0])
        bad += compare("edge", edges, of_json(counts)[1])
    except Refused as why:
        sys.exit("truth_blocks.py: %s" % why)
    print("%d files, %d blocks executed %d times, %d edges taken %d times" % (
        len({key[0] for key in blocks}), len(blocks), sum(map(sum, blocks.values())),
        len(edges), sum(edges.values())))
    return bad or not blocks


sys.exit(1 if main(*sys.argv[1:]) else 0)
