#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# csf_insn() agrees with LLVM's disassembler, except where insn-disagreements gives the reason: see
# insn_llvm.cpp.  It is tested with 9 million words of the parts of the opcodes of each of five
# processors, and 2 million random ones; in check-long with all of the parts, and 10 million.  Then
# the same for the encoder's enc_classify() and encoder-disagreements, with fewer words.

cd "$(dirname "$0")/../.." || exit 1
insn_llvm=$(dirname "${CSFLOW_FAST:-build/csflow}")/selftests/opcodes/insn_llvm

if [ ! -x "$insn_llvm" ]; then
	echo "TAP version 13"
	echo "1..0 # SKIP no headers of LLVM 18 or later: selftests/setup.sh check installs them"
	exit 4
fi
words="-n 2000000 -p 9000000" words_encoder="-n 500000 -p 2000000"
if [ -n "$CSFLOW_LONG" ]; then
	words="-n 10000000" words_encoder="-n 10000000"
fi

echo "TAP version 13"
echo "1..11"
"$insn_llvm" $words selftests/opcodes/insn-disagreements | grep -vE '^(TAP|1\.\.)'
bad=${PIPESTATUS[0]}
"$insn_llvm" -e $words_encoder selftests/opcodes/encoder-disagreements | grep -vE '^(TAP|1\.\.)' |
	awk '/^(not )?ok /{ sub(/ok [0-9]+/, "ok " ++n + 6) } { print }'
exit $((bad | PIPESTATUS[0]))
