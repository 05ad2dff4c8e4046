#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
syst.py stm|itm < PACKETS > TRACE: packets of STP, as a list of MIPI names them, as the trace of an
STM, of master 0x644 and channel 0; or their bytes as writes to port 5 of an ITM.

A line is "N <D32TS> 0a1b2c3d" or "N <FLAG>"; other lines are ignored.
"""
import re
import sys

OPCODES = {'D8': '4', 'D16': '5', 'D32': '6', 'D64': '7', 'D32TS': 'f6', 'D32MTS': 'a',
           'D64MTS': 'b', 'FLAG': 'fe'}
# A-sync, version 3, master 0x644 by M16, channel 0
HEAD = 'f' * 21 + '0' + 'f003' + 'f10644' + '300'


def packets(lines):
    for line in lines:
        found = re.match(r'\s*\d+ <(\w+)>\s*([0-9a-fA-F]*)$', line.rstrip())
        if found:
            yield found[1], found[2].lower()


def stm(lines):
    text = HEAD
    for i, (name, value) in enumerate(packets(lines)):
        text += OPCODES[name] + value
        if name.endswith('TS'):
            text += '8%08x' % (1000 + i)        # 8 digits of timestamp
    text += '0' * (len(text) % 2)
    return bytes(int(text[i + 1] + text[i], 16) for i in range(0, len(text), 2))


def itm(lines):
    trace = b''
    for name, value in packets(lines):
        data = bytes.fromhex(value)[::-1]
        for at in range(0, len(data), 4):
            part = data[at:at + 4]
            trace += bytes([5 << 3 | {1: 1, 2: 2, 4: 3}[len(part)]]) + part
    return trace


sys.stdout.buffer.write({'stm': stm, 'itm': itm}[sys.argv[1]](sys.stdin))
