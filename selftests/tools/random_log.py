#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""random_log.py SEED STEPS [m]   a Tarmac log of random ways through a random program of A32 and T32

The program has functions of both, conditions of both kinds, IT blocks, calls, returns and jumps of every
form, between them interrupts and SVC.  m: of M profile, as simulations of RTL write it.
"""
import random
import sys

rng = random.Random(int(sys.argv[1]))
STEPS = int(sys.argv[2])
M_PROFILE = sys.argv[3:] == ["m"]
COUNT = rng.randint(4, 24)
SPACE = 0x200		# of a function: what a conditional branch of two bytes can pass
BASE = 0x8000
SVC, IRQ = 0x8, 0x18	# vectors
MODE = "thrd_s" if M_PROFILE else "svc_ns"

A32_PLAIN = ["1a00000", "2800001", "5901000", "1500002"]
T32_PLAIN = ["bf00", "3001", "6801", "1c48", "f3af8000", "f1000001", "f8d11004"]
# an instruction that goes to an address in a register, or in memory: it may change the instruction
# set
A32_INDIRECT = ["12fff10", "1a0f002", "591f000", "08ff000", "8bd8000", "12fff1e"]
T32_INDIRECT = ["4700", "4697", "bd00", "f8d1f000", "4770", "e8bd8000"]
KEEP = ["4697"]		# those that stay in T32
A32_CALL, T32_CALL = "12fff33", "4798"


class Insn:
    def __init__(self, isa, size, op, kind="plain", cond=None, target=None):
        self.isa, self.size, self.op, self.kind, self.cond, self.target = isa, size, op, kind, cond, target
        self.it = None		# its condition, in an IT block


def a32_function():
    out = [Insn("A", 4, "e1a00000")]
    for i in range(rng.randint(4, 60)):
        cond = rng.choice([14, 14, 14, rng.randint(0, 13)])
        kind = rng.choices(["plain", "branch", "bl", "blx", "indirect", "call", "svc"], [60, 15, 8, 4, 5, 3, 2])[0]
        if kind in ("plain", "indirect", "call"):
            op = {"plain": rng.choice(A32_PLAIN), "call": A32_CALL, "indirect": rng.choice(A32_INDIRECT)}[kind]
            out.append(Insn("A", 4, "%x%s" % (cond, op), kind, cond))
        elif kind == "svc":
            out.append(Insn("A", 4, "%xf000001" % cond, kind, cond))
        else:
            out.append(Insn("A", 4, None, kind, 14 if kind == "blx" else cond))
    out.append(Insn("A", 4, "e12fff1e", "indirect", 14))
    return out


def t32_function():
    out, it = [Insn("T", 2, "bf00")], []
    for i in range(rng.randint(4, 60)):
        if not it and rng.random() < .15:
            length = rng.randint(1, 4)
            first = rng.randint(0, 13)
            it = [first] + [first ^ rng.randint(0, 1) for _ in range(length - 1)]
            bits = "".join(str(c & 1) for c in it[1:]) + "1"
            mask = int(bits.ljust(4, "0"), 2)
            out.append(Insn("T", 2, "bf%x%x" % (first, mask), "plain", 14))
            continue
        last = len(it) == 1
        kinds = ["plain", "svc"]
        weights = [60, 2]
        if not it:
            kinds += ["cond", "cbz", "condw", "table"]
            weights += [10, 6, 5, 3]
        if not it or last:
            kinds += ["branch", "branchw", "bl", "indirect", "call"]
            weights += [5, 5, 8, 5, 3]
            if not M_PROFILE:
                kinds.append("blx")
                weights.append(4)
        kind = rng.choices(kinds, weights)[0]
        size, op = 2, None
        if kind in ("plain", "indirect", "call"):
            op = {"plain": rng.choice(T32_PLAIN), "call": T32_CALL, "indirect": rng.choice(T32_INDIRECT)}[kind]
            size = len(op) // 2
        elif kind == "svc":
            op = "df01"
        elif kind == "table":
            op, size = rng.choice(["e8dff000", "e8dff011"]), 4
        elif kind in ("condw", "branchw", "bl", "blx"):
            size = 4
        insn = Insn("T", size, op, kind, rng.randint(0, 13) if kind in ("cond", "condw") else 14)
        if it:
            insn.it = it.pop(0)
        out.append(insn)
    while it:
        insn = Insn("T", 2, "bf00")
        insn.it = it.pop(0)
        out.append(insn)
    out.append(Insn("T", 2, "4770", "indirect", 14))
    return out


def blocks_of(where):
    """Where a branch may lead: not into an IT block."""
    return [a for a, insn in where if insn.it is None]


def encode_t32(insn, at):
    off = insn.target - (at + 4)
    if insn.kind == "cond":
        return "%04x" % (0xd000 | insn.cond << 8 | off >> 1 & 0xff)
    if insn.kind == "branch":
        return "%04x" % (0xe000 | off >> 1 & 0x7ff)
    if insn.kind == "cbz":
        return "%04x" % (0xb100 | rng.randint(0, 1) << 11 | off >> 6 << 9 | (off >> 1 & 31) << 3 | 2)
    if insn.kind == "blx":
        off = insn.target - ((at + 4) & ~3)
    s = off < 0
    if insn.kind == "condw":
        j1, j2 = off >> 18 & 1, off >> 19 & 1
        return "%04x%04x" % (0xf000 | s << 10 | insn.cond << 6 | off >> 12 & 0x3f,
                             0x8000 | j1 << 13 | j2 << 11 | off >> 1 & 0x7ff)
    j1, j2 = (off >> 23 & 1) ^ s ^ 1, (off >> 22 & 1) ^ s ^ 1
    low = {"branchw": 0x9000, "bl": 0xd000, "blx": 0xc000}[insn.kind]
    return "%04x%04x" % (0xf000 | s << 10 | off >> 12 & 0x3ff, low | j1 << 13 | j2 << 11 | off >> 1 & 0x7ff)


def encode_a32(insn, at):
    off = insn.target - (at + 8)
    if insn.kind == "blx":
        return "f%x%06x" % (0xa | (off >> 1 & 1), off >> 2 & 0xffffff)
    return "%x%s%06x" % (insn.cond, "a" if insn.kind == "branch" else "b", off >> 2 & 0xffffff)


def isa_of(n):
    return "T" if M_PROFILE or n % 2 else "A"


def program():
    entry, code, inside = [], {}, []
    for n in range(COUNT):
        body = a32_function() if isa_of(n) == "A" else t32_function()
        at, where = BASE + n * SPACE, []
        for insn in body:
            where.append((at, insn))
            at += insn.size
        assert at <= BASE + (n + 1) * SPACE
        entry.append(BASE + n * SPACE)
        inside.append(where)
    for n, where in enumerate(inside):
        ways = blocks_of(where)
        for at, insn in where:
            if insn.kind in ("branch", "branchw", "cond", "condw", "table"):
                # a loop has a way out
                always = insn.it is None and insn.kind != "cond" and insn.cond == 14
                least = 0 if always or insn.kind == "table" else -250
                near = [a for a in ways if least < a - at < 250]
                insn.target = rng.choice(near)
            elif insn.kind == "cbz":
                near = [a for a in ways if 0 <= a - at - 4 < 126]
                if not near:
                    insn.kind, insn.op = "plain", "bf00"
                else:
                    insn.target = rng.choice(near)
            elif insn.kind in ("bl", "blx"):
                same = insn.kind == "bl"
                insn.target = entry[rng.choice([m for m in range(COUNT)
                                                if m != n and (isa_of(m) == isa_of(n)) == same])]
            if insn.op is None:
                insn.op = encode_a32(insn, at) if insn.isa == "A" else encode_t32(insn, at)
            code[at] = insn
    return entry, inside, code


def handler(at, op):
    """Some instructions, and the return."""
    if M_PROFILE:
        return {at: Insn("T", 2, "bf00"), at + 2: Insn("T", 2, "4770", "return")}
    return {at: Insn("A", 4, "e1a00000"), at + 4: Insn("A", 4, "e2800001"), at + 8: Insn("A", 4, op, "return")}


entry, inside, code = program()
# no vector has room for more: the handler runs over the next ones
vector = {SVC: handler(SVC, "e1b0f00e"), IRQ: handler(IRQ, "e25ef004")}
places = [(a, insn.isa) for where in inside for a, insn in where if insn.it is None]
calls, count, out = [], 0, []


def execute(at, insn, done, mode):
    global count
    count += 1
    if M_PROFILE:
        out.append("%d tic ES (%08x:%s) T %s: %s -" % (count, at, insn.op, mode, "" if done else "CCFAIL"))
    else:
        out.append("%d clk cpu0 %s (%d) %08x %s %s %s : -" %
                   (count, "IT" if done else "IS", count, at, insn.op, insn.isa, mode))


def exception(base, at, mode):
    if M_PROFILE:
        out.append("    EXC [%d] %s" % ((11, "SVC") if base == SVC else (15, "SysTick")))
    else:
        name = "00000003 CoreEvent_SWI" if base == SVC else "00000007 CoreEvent_IRQ"
        out.append("%d clk cpu0 E %08x %s" % (count, at, name))
    for a, insn in vector[base].items():
        execute(a, insn, True, "hndl_s" if M_PROFILE else mode)


def goes_to(insn, at):
    """Where an indirect branch leads."""
    other = [a for a, isa in places if a != at and (isa == "T" or insn.op not in KEEP)]
    returns = insn.op[-7:] in ("12fff1e", "8bd8000") or insn.op in ("4770", "bd00", "e8bd8000")
    if insn.kind == "table":
        return insn.target
    if returns and calls and rng.random() < .95:
        return calls.pop()
    if insn.op in KEEP or rng.random() < .2:
        return rng.choice(other)
    return rng.choice(entry)


pc = entry[0]
while count < STEPS or not (code[pc].kind == "plain" and code[pc].it is None):
    insn = code[pc]
    cond = insn.it if insn.it is not None else insn.cond
    done = cond in (None, 14) or rng.random() < .6
    if insn.kind == "cbz":
        done = rng.random() < .5
    follow = pc + insn.size
    execute(pc, insn, done or (insn.kind == "cbz" and rng.random() < .5), MODE)
    if not done or insn.kind == "plain":
        at, pc = pc, follow
    elif insn.kind == "svc":
        exception(SVC, follow, MODE)
        pc = follow
    elif insn.kind in ("branch", "branchw", "cond", "condw", "cbz"):
        pc = insn.target
    else:
        if insn.kind in ("bl", "blx", "call") and len(calls) < 30:
            calls.append(follow)
        pc = insn.target if insn.kind in ("bl", "blx") else goes_to(insn, pc)
    # a log of RTL does not say where an interrupt came
    if (insn.kind == "plain" or not M_PROFILE) and rng.random() < .01:
        exception(IRQ, pc, "irq_ns")
execute(pc, code[pc], True, MODE)
print("\n".join(out))
