#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# truth_stacks.py LOG PROGRAM [FOLDED]: of a truth log of A64 (Documentation/format/truth-log.rst), how many
# instructions ran under which stack of functions, one a line.  PROGRAM is linked statically, at
# fixed addresses.  With FOLDED: the same from the output of csflow profile --for=folded, each
# function under the one name that this script chooses.
#
# It follows single instructions of one thread, by address; its only state is a list of return
# addresses.

import bisect
import struct
import subprocess
import sys

from plt_stubs import stubs
from truth_log import Reader, chunks

BLOCK, PART, EXCEPTION = 1, 2, 5
SVC = 0xd4000001


class Symbols:
    def __init__(self, path):
        text = subprocess.run(["readelf", "-sSW", path], capture_output=True, text=True).stdout
        self.names, self.size, self.end, code = {}, {}, 0, set()
        for line in text.splitlines():
            f = line.replace("[", " ").replace("]", " ").split()
            if len(f) > 8 and f[2] == "PROGBITS" and "X" in f[7]:
                code.add(f[0])
                self.end = max(self.end, int(f[3], 16) + int(f[5], 16))
            if len(f) == 8 and f[3] in ("FUNC", "IFUNC", "NOTYPE") and f[6] in code and f[7][0] != "$":
                addr = int(f[1], 16)
                self.names.setdefault(addr, set()).add(f[7])
                self.size[addr] = max(self.size.get(addr, 0), int(f[2], 0))
        for addr, size, name in stubs(path):
            self.names[addr], self.size[addr] = {name}, size
        self.sorted = sorted(self.names)
        self.cache = {}
        # functions of one name are one: names that share an address, or addresses a name
        self.label = {}
        first = {}
        for addr in self.sorted:
            for name in sorted(self.names[addr]):
                first.setdefault(name, addr)
        for name, addr in first.items():
            self.label[name] = min(self.names[addr])

    # Where the function begins that has @addr; None.
    def start(self, addr):
        if addr not in self.cache:
            i = bisect.bisect_right(self.sorted, addr)
            at = self.sorted[i - 1] if i else None
            size = self.size.get(at, 0)
            if at is not None and addr >= (at + size if size else self.end):
                at = None
            if at is not None:
                for name in self.names[at]:
                    whole = name.split(".cold")[0]
                    for a in self.sorted if whole != name else ():
                        if whole in self.names[a]:
                            at = a
            self.cache[addr] = at
        return self.cache[addr]

    def name(self, start):
        return "[unknown]" if start is None else self.chosen(min(self.names[start]))

    def chosen(self, name):
        return self.label.get(name, "[unknown]")


class Frame:
    def __init__(self, function, ret, signal=False):
        self.function, self.ret, self.signal = function, (ret,), signal


class Stacks:
    def __init__(self, symbols):
        self.symbols, self.count, self.stack = symbols, {}, []
        self.last = self.word = self.interrupted = None
        self.setjmp = {}

    def back(self, addr):
        for i in range(len(self.stack) - 1, 0, -1):
            if addr in self.stack[i].ret:
                del self.stack[i:]
                return True
        return False

    # To the middle of another function: only longjmp() does this here.
    def far(self, addr):
        if addr in self.setjmp:
            del self.stack[self.setjmp[addr]:]
        return addr in self.setjmp

    # From @self.last, whose word is @self.word, to @addr
    def go(self, addr):
        start = self.symbols.start(addr)
        w = self.word
        if self.interrupted is not None:
            if addr == self.interrupted or self.back(addr):
                pass
            elif start == addr:
                self.stack.append(Frame(start, self.interrupted, True))
                # A system call before which a signal comes is made again.
                if w == SVC:
                    self.stack[-1].ret += self.last,
            else:
                sys.exit("truth_stacks.py: went from %x to %x by an exception" % (self.interrupted, addr))
        elif w >> 26 == 0b100101 or w & 0xfffffc1f == 0xd63f0000:
            self.stack.append(Frame(start, self.last + 4))
            if addr == start and self.symbols.names[start] & {"_setjmp", "setjmp", "__sigsetjmp"}:
                self.setjmp[self.last + 4] = len(self.stack) - 1
        elif w & 0xfffffc1f == 0xd65f0000:
            if not self.back(addr):
                # a signal's handler ends
                if not self.stack[-1].signal:
                    sys.exit("truth_stacks.py: %x returns to %x" % (self.last, addr))
                self.stack[-1].function = start
        elif start != self.stack[-1].function and start is not None:
            if start == addr or not self.far(addr):
                self.stack[-1].function = start

    # The last instruction had gone to @addr, which was not executed.
    def interrupt(self, addr):
        if self.stack and addr not in (self.last, self.last + 4):
            self.go(addr)
        self.interrupted = addr

    def run(self, addr, words):
        for w in words:
            if not self.stack:
                self.stack.append(Frame(self.symbols.start(addr), 0))
            elif self.interrupted is not None or addr != self.last + 4 or \
                    self.symbols.start(addr) != self.symbols.start(self.last) or self.word >> 26 == 0b100101:
                self.go(addr)
            self.interrupted = None
            key = tuple(f.function for f in self.stack)
            self.count[key] = self.count.get(key, 0) + 1
            self.last, self.word = addr, w
            addr += 4


def follow(data, stacks):
    blocks = {}
    for _, content in chunks(data):
        r = Reader(content)
        while r.more():
            n = r.number()
            if n:
                stacks.run(*blocks[n])
                continue
            kind = r.number()
            p = Reader(r.bytes(r.number()))
            if kind == BLOCK:
                number, addr, isa, n = p.number(), p.number(), p.number(), p.number()
                code = p.bytes(4 * n)
                blocks[number] = addr, [struct.unpack_from("<I", code, 4 * i)[0] for i in range(n)]
            elif kind == PART:
                block, first, n = p.number(), p.number(), p.number()
                stacks.run(blocks[block][0] + 4 * first, blocks[block][1][first:first + n])
            elif kind == EXCEPTION:
                p.number()
                stacks.interrupt(p.number())


def show(count):
    for line in sorted("%s %d" % (stack, n) for stack, n in count.items()):
        print(line)


def main():
    symbols, count = Symbols(sys.argv[2]), {}
    if len(sys.argv) > 3:
        for line in open(sys.argv[3]):
            stack, n = line.rsplit(" ", 1)
            stack = ";".join(symbols.chosen(name) for name in stack.split(";"))
            count[stack] = count.get(stack, 0) + int(n)
        return show(count)
    stacks = Stacks(symbols)
    with open(sys.argv[1], "rb") as f:
        follow(f.read(), stacks)
    for key, n in stacks.count.items():
        stack = ";".join(symbols.name(f) for f in key)
        count[stack] = count.get(stack, 0) + n
    show(count)


main()
