#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# csf_insn() agrees with LLVM's disassembler, but for what insn-disagreements explains: see
# insn_llvm.cpp.  Of each of five processors 9 million words of the parts of its opcodes and
# 2 million random ones; in check-long, all of the parts, and 10 million.

cd "$(dirname "$0")/.." || exit 1
insn_llvm=$(dirname "${CSFLOW_FAST:-build/csflow}")/selftests/insn_llvm

if [ ! -x "$insn_llvm" ]; then
	echo "TAP version 13"
	echo "1..0 # SKIP no headers of LLVM 18 or later: selftests/setup.sh check installs them"
	exit 4
fi
if [ -n "$CSFLOW_LONG" ]; then
	exec "$insn_llvm" -n 10000000 selftests/insn-disagreements
fi
exec "$insn_llvm" -n 2000000 -p 9000000 selftests/insn-disagreements
