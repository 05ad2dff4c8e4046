#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# shard_hostile.py CHECKED FAST PLAN [N]
#
# N wrong plans and parts, made of PLAN and PLAN.parts, for csflow shard run and join: bytes that
# changed, were cut off, lines that are missing, twice or elsewhere, numbers that lie; with the hash as
# it was, or the right one, so that readers get further.  Each must be named; nothing may be
# counted, or written, of a plan or a part that is wrong; and no command may end by a signal.
# CHECKED, with sanitizers, reads each tenth of them.
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import zlib

checked, fast, plan_path = sys.argv[1:4]
n = int(sys.argv[4]) if len(sys.argv) > 4 and sys.argv[4] else 100
dice = random.Random(1)
plan = open(plan_path, 'rb').read()
parts = {int(name.split('-')[1]): open(f'{plan_path}.parts/{name}', 'rb').read()
         for name in os.listdir(f'{plan_path}.parts')}
own = re.search(rb'^hash ([0-9a-f]{16})$', plan, re.M)[1].decode()
n_parts = plan.count(b'\npart\n')
NUMBERS = (0, 1, 2, 6, 2**31, 2**32 - 1, 2**32, 2**63, 2**64 - 1, 2**64, 10**40)


def fnv(data, v=0xcbf29ce484222325):
    for byte in data:
        v = (v ^ byte) * 0x100000001b3 & 2**64 - 1
    return v


def name(k, data):
    head = struct.pack('<QQ', int(own, 16), k)
    return f'{own}-{k}-{fnv(head + data):016x}.counts'


def csflow(i, *words):
    done = subprocess.run([checked if i % 10 == 0 else fast, 'shard', *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    if done.returncode not in (0, 1, 2, 3) or b'Sanitizer' in done.stderr:
        sys.exit(f'{words}: status {done.returncode}: {done.stderr.decode(errors="replace")}')
    return done


def harm(data):
    data = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 9))):
        at = dice.randrange(len(data) + 1)
        kind = dice.randrange(4)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << dice.randrange(8)
        elif kind == 1:
            del data[at:at + dice.choice((1, 8, len(data)))]
        elif kind == 2:
            data[at:at] = dice.randbytes(dice.choice((1, 8, 300)))
        else:
            data[at:at] = data[dice.randrange(len(data) + 1):][:100]
    return bytes(data)


# Lines that are missing, twice, elsewhere, or have another number or word in them.
def harm_lines(data):
    lines = data.split(b'\n')
    at, other = (dice.randrange(len(lines)) for _ in range(2))
    kind = dice.randrange(5)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[other])
    elif kind == 2:
        lines[at], lines[other] = lines[other], lines[at]
    else:
        words = lines[at].split(b' ')
        word = dice.randrange(len(words))
        words[word] = b'%d' % dice.choice(NUMBERS) if kind == 3 else harm(words[word])
        lines[at] = b' '.join(words)
    return b'\n'.join(lines)


def right_hash(data):
    head, line, body = re.match(rb'(.*\n)?(hash [0-9a-f]{16}\n)?((?:.|\n)*)', data).groups()
    return head + b'hash %016x\n' % fnv(body) + body if head and line else data


def wrong_plan(i, folder):
    data = plan
    while data == plan:
        data = (harm, harm_lines)[i % 2](plan)
        if i % 3:
            data = right_hash(data)
    path = f'{folder}/p{i}'
    open(path, 'wb').write(data)
    done = csflow(i, 'join', '--partial', '-d', f'{plan_path}.parts', '-o', f'{folder}/sum', path)
    said = done.stderr.decode(errors='replace')
    # a plan that is right in itself has no part here
    if done.returncode != 1 or os.path.exists(f'{folder}/sum') or path not in said:
        sys.exit(f'{path}: joined, or not named: status {done.returncode}: {said}\n{data}')
    if 'parts are missing' not in said:
        done = csflow(i, 'run', '-o', f'{folder}/parts', path, '1')
        if done.returncode != 1 or os.path.exists(f'{folder}/parts') or path not in done.stderr.decode(errors='replace'):
            sys.exit(f'{path}: a part of it was made')
    os.unlink(path)


# Some wrong parts in one folder, and one that is right.
def wrong_parts(i, folder):
    right = dice.choice(list(parts))
    bad = set()
    for at in range(50):
        k = dice.choice(list(parts))
        data = parts[k]
        while data == parts[k]:
            data = harm(data)
        kind = at % 4
        if kind == 0:
            data = parts[k][:8] + parts[k][11:7:-1] + parts[k][12:]      # of the other byte order
        if kind <= 1:
            called = name(k, data)          # its name is right, its checksum is not
        elif kind == 2:
            called = name(n_parts + 1 + dice.randrange(2**30), parts[k])
        else:
            called = name(k, parts[k])[:-8] + f'{at}.counts'
        if called == name(k, parts[k]):
            continue
        open(f'{folder}/{called}', 'wb').write(data)
        bad.add(called)
    open(f'{folder}/{name(right, parts[right])}', 'wb').write(parts[right])
    done = csflow(i, 'join', '--partial', '-d', folder, '-o', f'{folder}/sum', plan_path)
    said = done.stderr.decode(errors='replace')
    silent = [b for b in bad if f'/{b}: ' not in said]
    if silent or done.returncode != 3 or open(f'{folder}/sum', 'rb').read() != parts[right]:
        sys.exit(f'not named {silent[:3]}, or counted: status {done.returncode}: {said}')
    for called in os.listdir(folder):
        os.unlink(f'{folder}/{called}')
    return len(bad)


# Numbers in a part that lie, with the right checksum and name: it may be right by chance.
def lying_part(i, folder):
    k = dice.choice(list(parts))
    body = harm(parts[k][16:])
    data = parts[k][:12] + struct.pack('<I', zlib.crc32(body)) + body
    path = f'{folder}/{name(k, data)}'
    open(path, 'wb').write(data)
    done = csflow(i, 'join', '--partial', '-d', folder, '-o', f'{folder}/sum', plan_path)
    if done.returncode != 3 and path not in done.stderr.decode(errors='replace'):
        sys.exit(f'{path}: not named: {done.stderr.decode(errors="replace")}')
    for called in os.listdir(folder):
        os.unlink(f'{folder}/{called}')


# A file that is twice in a part, with the right checksum and name: csflow merge would leave it out.
def disordered_part(folder):
    wrong, right = sorted(parts)[:2]
    file = b'\0\0\1x\1\0\0'        # its kind, build-id and name, what it lost, no blocks and edges
    body = b'\0\2' + file + file
    data = parts[wrong][:12] + struct.pack('<I', zlib.crc32(body)) + body
    path = f'{folder}/{name(wrong, data)}'
    open(path, 'wb').write(data)
    open(f'{folder}/{name(right, parts[right])}', 'wb').write(parts[right])
    done = csflow(0, 'join', '--partial', '-d', folder, '-o', f'{folder}/sum', plan_path)
    said = done.stderr.decode(errors='replace')
    why = f'csflow: {path}: offset 0x19: a file that is out of order, or there twice: not counted\n'
    if why not in said or done.returncode != 3 or open(f'{folder}/sum', 'rb').read() != parts[right]:
        sys.exit(f'{path}: not named, or counted: status {done.returncode}: {said}')
    for called in os.listdir(folder):
        os.unlink(f'{folder}/{called}')


with tempfile.TemporaryDirectory() as tmp:
    disordered_part(tmp)
    made = i = 0
    while made < n:
        if i % 3 == 0 and n >= 100 and (n > 100 or i == 0):
            made += wrong_parts(i, tmp)
        elif i % 3 == 1:
            lying_part(i, tmp)
            made += 1
        else:
            wrong_plan(i, tmp)
            made += 1
        i += 1
print(made)
