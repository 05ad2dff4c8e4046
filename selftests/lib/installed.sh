#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An installed test, started by run_kselftest.sh.  Its status is what that expects: 0: passed, 4: skipped, else: failed.

cd "$(dirname "$0")/tree" || exit 1
O=$PWD/build CSFLOW=$PWD/build/csflow CSFLOW_FAST=$PWD/build/csflow
export O CSFLOW CSFLOW_FAST
case @FILE@ in
*.sh)	;;
*)	exec ./@FILE@ "$@" ;;
esac

# A script does not end with the status of its results.
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
{ ./@FILE@ "$@" 2>&1; echo "status $?" >> "$log"; } | tee -a "$log"
awk '
/^status [0-9]+$/	{ status = $2 }
/^1\.\.0 .*SKIP/	{ skipped = 1 }
/^1\.\.[1-9]/		{ plan = substr($1, 4) }
/^Bail out!/		{ failed = 1 }
/^not ok/		{ failed = 1; n++ }
/^ok/			{ n++ }
END			{ exit skipped ? 4 : failed || status || !n || plan != n }' "$log"
