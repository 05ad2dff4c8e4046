#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# probe.sh TREE		prints a header that says which interfaces the perf in a kernel tree has.  perf's
#			internal interfaces change between versions, and stable versions get changes of
#			later ones, so the source is checked, not its version number.
cd "${1:?a kernel tree}/tools/perf/util" || exit 1

# Arguments: a word, a file, a pattern to find in it.
probe()
{
	if cat "$2" 2> /dev/null | grep -qE "$3"; then
		echo "#define SHIM_HAS_$1 1"
	else
		echo "#define SHIM_HAS_$1 0"
	fi
}

# Arguments: a word, a file, a function in it, a pattern to find in that.
probe_in()
{
	if sed -n "/[ *]$3(/,/^}/p" "$2" 2> /dev/null | grep -qE "$4"; then
		echo "#define SHIM_HAS_$1 1"
	else
		echo "#define SHIM_HAS_$1 0"
	fi
}

cat << END
/* What this perf has.  Written by probe.sh. */
#ifndef SHIM_PROBES_H
#define SHIM_PROBES_H

END
probe REPIPE		header.h	'perf_session__read_header\(struct perf_session \*session, int'
probe CONST_TOOL	auxtrace.h	'const struct perf_tool \*tool'
probe MAP_ACCESSORS	map.h		'map__start\(const struct map'
probe BID_CONST		dso.h		dso__bid_const
probe THREAD_ACCESSORS	thread.h	'thread__pid\(const struct thread'
probe FOR_EACH_MAP	maps.h		maps__for_each_map
probe_in FIND_REF	maps.c		maps__find	map__get
probe SYNTH_ATTR	session.h	perf_session__deliver_synth_attr_event
probe SYNTH_ID		auxtrace.h	auxtrace_synth_id_range_start
probe SAMPLE_INIT	sample.h	perf_sample__init
probe BRANCH_TYPE	synthetic-events.h	branch_sample_type
probe KEEP_EXITED	symbol_conf.h	keep_exited_threads
probe ITRACE_CYCLES	auxtrace.h	'bool[[:space:]]+cycles;'
probe ITRACE_TIMESTAMP	auxtrace.h	'bool[[:space:]]+use_timestamp;'
echo
echo '#endif /* SHIM_PROBES_H */'
