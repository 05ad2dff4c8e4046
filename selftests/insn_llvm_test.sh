#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# csf_insn() agrees with LLVM's disassembler, but for what insn-disagreements explains: see
# insn_llvm.cpp.  2 million random words for each of five processors; in check-long, 10 million.

cd "$(dirname "$0")/.." || exit 1
insn_llvm=$(dirname "${CSFLOW_FAST:-build/csflow}")/selftests/insn_llvm

if [ ! -x "$insn_llvm" ]; then
	echo "TAP version 13"
	echo "1..0 # SKIP no headers of LLVM 18 or later: selftests/setup.sh check installs them"
	exit 4
fi
exec "$insn_llvm" -n $([ -n "$CSFLOW_LONG" ] && echo 10000000 || echo 2000000) \
	selftests/insn-disagreements
