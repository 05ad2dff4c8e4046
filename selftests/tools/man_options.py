#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# man_options.py DIR COMMAND USAGE < LIST
#
# Compares the synopsis of DIR/csflow-COMMAND.1.rst with USAGE, the lines of csflow COMMAND --help
# after "usage: " and "or: ", and its options with LIST, what csflow COMMAND --list-opts prints.
# Prints a line for each difference: an option that only one has, another short name or value, a
# default or a word that the page does not give, a default that the list does not give.
import re
import sys

folder, command, usage = sys.argv[1:]


def read_list(text):
    rows = {}
    for line in text.splitlines():
        name, short, arg, kind, words, text = line.split('\t')
        if kind == 'verb':
            continue
        found = re.search(r' \(default: (.*)\)$', text)
        rows[name] = dict(short='' if short == '-' else short, arg='' if arg == '-' else arg,
                          words=[] if words == '-' else words.split(','),
                          default=found[1] if found else None)
    return rows


# "**-k**, **--vmlinux=**\ *FILE*": ('-k', '--vmlinux', 'FILE')
def read_term(line):
    options, short = [], ''
    for part in re.split(r'[,;] (?=\*\*-)', line.replace('\\ ', '')):
        part = part.replace('*', '').replace('\\', '')
        if not part.startswith('--'):
            short = part.split()[0]
            continue
        name, arg = re.fullmatch(r'(--[a-z0-9-]+)(.*)', part).groups()
        arg = re.sub(r'^\[=(.*)\]$', r'\1', arg)
        options.append((short, name, arg[1:] if arg.startswith('=') else arg))
        short = ''
    return options


# The entries of the section OPTIONS: their options, and the text below them.
def read_page(command):
    lines = open('%s/csflow-%s.1.rst' % (folder, command)).read().splitlines()
    start = lines.index('OPTIONS')
    stop = next((i - 1 for i in range(start + 2, len(lines)) if re.match('===', lines[i])), None)
    entries, body = [], None
    for line in lines[start + 2:stop]:
        if re.match(r'\*\*-', line):
            body = []
            entries.append((read_term(line), body))
        elif line.startswith(' ') and body is not None:
            body.append(line.strip())
        elif line:
            body = None
    terms = [a for a, b in zip(lines, lines[1:]) if a[:1] not in ('', ' ') and b.startswith(' ')]
    return [(options, ' '.join(body)) for options, body in entries], ' '.join(terms)


# The text of an option, and that of the pages that it names.
def text_of(entries, name, seen):
    text = ''
    for options, body in entries:
        if name not in [o[1] for o in options]:
            continue
        text += ' ' + body
        for other in re.findall(r'(?:see|as for)\s+\*\*csflow[- ]([a-z]+)\*\*', body):
            if other not in seen:
                text += text_of(read_page(other)[0], name, seen + [other])
    return text


def has(text, word):
    return re.search(r'(?<![\w.])%s(?![\w.]*\w)' % re.escape(word), text)


def read_synopsis(command):
    lines = open('%s/csflow-%s.1.rst' % (folder, command)).read().splitlines()
    start = lines.index('SYNOPSIS') + 3
    lines = lines[start:lines.index('', start)]
    text = ' | '.join(re.sub(r'^\| ', '', line) for line in lines)
    return re.sub(r'[*\\]', '', text.replace('\\ ', ''))


rows = read_list(sys.stdin.read())
usage = ' | '.join(usage.splitlines())
if usage != read_synopsis(command):
    print('usage: %s, in the page %s' % (usage, read_synopsis(command)))
entries, terms = read_page(command)
paged = {}
for options, body in entries:
    for short, name, arg in options:
        if name in paged:
            print('%s: twice' % name)
        paged[name] = (short, arg)
        if name not in rows:
            print('%s: only the page has it' % name)
    known = [rows[o[1]]['default'] for o in options if o[1] in rows]
    if re.search(r'\bdefaults?\b', body) and known and not any(known):
        print('%s: only the page gives a default' % options[0][1])

for name, row in rows.items():
    if name not in paged:
        print('%s: the page lacks it' % name)
        continue
    short, arg = paged[name]
    text = text_of(entries, name, [command]).replace('100,000', '100000')
    if short != row['short']:
        print('%s: short name %s, in the page %s' % (name, row['short'] or 'none', short or 'none'))
    if arg != row['arg']:
        print('%s: value %s, in the page %s' % (name, row['arg'] or 'none', arg or 'none'))
    if row['default'] and not ('default' in text and (' ' in row['default'] or
                                                       has(text, row['default']))):
        print('%s: default %s, not in the page' % (name, row['default']))
    for word in row['words']:
        if not has(text, word) and not has(terms, word):
            print('%s: word %s, not in the page' % (name, word))
