#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
What sigrok says about a trace of an ITM, and what csflow does.

itm_peer.py damage KIND SEED IN OUT		damages a trace at one place in 200 bytes
itm_peer.py same CSFLOW SIGROK			listings of both: the first messages that differ
itm_peer.py kept CSFLOW SIGROK CSFLOW SIGROK	listings of a trace, and of a damaged one: the share of the messages that are
						kept, of csflow and of sigrok
"""
import difflib
import random
import re
import sys

NAMES = ("Thread", "Reset", "NMI", "HardFault", "MemManage", "BusFault", "UsageFault", None, None, None, None, "SVCall",
         "Debug Monitor", None, "PendSV", "SysTick")
DID = {"Enter": "entered", "Exit": "exited", "Resume": "returned"}
LATE = {"exact": "", "event delayed": " late", "timestamp delayed": " time-late",
        "event and timestamp delayed": " time-late late"}


def number(name):
    if name.startswith("IRQ "):
        return int(name[4:]) + 16
    return NAMES.index(name) if name in NAMES else -1


def peer_word(text):
    found = re.fullmatch(r"(Enter|Exit|Resume): (.*)", text)
    if found:
        return "exception %d %s" % (number(found[2]), DID[found[1]])
    found = re.fullmatch(r"PC: (0x.*)", text)
    if found:
        return "pc %#x" % int(found[1], 16)
    found = re.fullmatch(r"Watchpoint (\d): (PC|Read data|Write data|address) (0x.*)", text)
    if found:
        kind = {"PC": "access-pc", "address": "access-addr", "Read data": "read", "Write data": "write"}[found[2]]
        return "%s %s %#x" % (kind, found[1], int(found[3].replace("?", "0"), 16))
    found = re.fullmatch(r"Timestamp: (\d+) \((.*)\)", text)
    if found:
        return "time %s%s" % (found[1], LATE[found[2]])
    found = re.fullmatch(r"(\d+): (0x[0-9a-f]+)", text)
    if found:
        return "data %s %#x" % (found[1], int(found[2], 16))
    return None


def peer(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        words = (peer_word(line.split(": ", 1)[1].strip()) for line in f if line.startswith("arm_itm-1: "))
        return [word for word in words if word]


def ours_word(line):
    text = re.sub(r" (unsynced|time-lost|partial)", "", re.sub(r"^ *\d+ \[..\] ", "", line.rstrip("\n")))
    text, _, rest = text.partition(" at ")
    kind = text.split()[0]
    if kind == "time":
        time, _, late = rest.partition(" ")
        return "time %s%s" % (time, " " + late if late else "")
    text = re.sub(r"(0x[0-9a-f]+)/\d.*", r"\1", text)
    return text if kind in ("exception", "pc", "access-pc", "access-addr", "read", "write", "data") else None


def ours(path):
    with open(path, encoding="utf-8") as f:
        return [word for word in map(ours_word, f) if word]


def damage(kind, seed, trace):
    random.seed(seed)
    trace = bytearray(trace)
    for at in reversed(range(50, len(trace) - 50, 200)):
        at += random.randrange(100)
        noise = bytes(random.randrange(256) for _ in range(random.randint(1, 8)))
        if kind == "bit":
            trace[at] ^= 1 << random.randrange(8)
        elif kind == "byte":
            trace[at] = noise[0]
        elif kind == "dropped":
            del trace[at:at + len(noise)]
        elif kind == "added":
            trace[at:at] = noise
        elif kind == "burst":
            trace[at:at + len(noise)] = noise
        elif kind == "zeros":
            trace[at:at + len(noise)] = bytes(len(noise))
    return trace


def kept(clean, damaged):
    # times count from the start, and go wrong for good
    clean, damaged = ([word for word in words if not word.startswith("time")] for words in (clean, damaged))
    matcher = difflib.SequenceMatcher(None, clean, damaged, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / len(clean)


def main():
    job, *rest = sys.argv[1:]
    if job == "damage":
        with open(rest[2], "rb") as trace, open(rest[3], "wb") as out:
            out.write(damage(rest[0], int(rest[1]), trace.read()))
    elif job == "same":
        a, b = ours(rest[0]), peer(rest[1])
        print(len(a), "messages of csflow,", len(b), "of sigrok")
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                print("message %d: csflow: %s, sigrok: %s" % (i, x, y))
                sys.exit(1)
        sys.exit(len(a) != len(b) or len(a) < 1000)
    else:
        print("%.4f %.4f" % (kept(ours(rest[0]), ours(rest[2])), kept(peer(rest[1]), peer(rest[3]))))


main()
