# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Pairwise tables of the options of csflow record, for tests that source this file.

# pairwise SEED FILE VALID: rows so that any two alternatives of two axes, where they go together,
# meet in one.  FILE has an axis a line; VALID is an expression of awk about the string "row".
pairwise()
{
	awk -v seed="$1" '
	function valid(row)
	{
		return '"$3"'
	}
	function try(   i, row)
	{
		do {
			row = ""
			for (i = 1; i <= axes; i++) {
				pick[i] = 1 + int(rand() * size[i])
				row = row " " value[i, pick[i]]
			}
		} while (!valid(row))
		return row
	}
	function gain(mark,   i, j, g)
	{
		g = 0
		for (i = 1; i <= axes; i++)
			for (j = i + 1; j <= axes; j++) {
				if (!((i, pick[i], j, pick[j]) in seen)) g++
				if (mark) seen[i, pick[i], j, pick[j]] = 1
			}
		return g
	}
	{ axes++; size[axes] = NF; for (i = 1; i <= NF; i++) value[axes, i] = $i }
	END {
		srand(seed)
		for (dry = 0; dry < 3; ) {
			best = 0
			for (t = 0; t < 150; t++) {
				row = try(); g = gain(0)
				if (g > best) {
					best = g; chosen = row
					for (i = 1; i <= axes; i++) keep[i] = pick[i]
				}
			}
			if (!best) { dry++; continue }
			for (i = 1; i <= axes; i++) pick[i] = keep[i]
			gain(1)
			print chosen
		}
	}' "$2"
}

# options_of ROW: into the array options; _ separates options in an alternative, words of --unit
# begin with a comma, but the first.
options_of()
{
	local word unit=

	options=()
	for word in $1; do
		case $word in
		- ) ;;
		-*) options+=(${word//_/ }) ;;
		*) unit=$unit$word ;;
		esac
	done
	options+=(-u "$unit,seed=$n")
}
