// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/log.h"
#include "../lib/status.h"
#include "selection.h"

int selection_read(struct selection *s)
{
	if (recording_whose_read(&s->whose))
		return CMD_USAGE;
	if (time_spans_parse(&s->spans, s->time))
		return CMD_OK;
	log_say(LOG_USAGE, "csflow: --time %s: not START,STOP in seconds, nor N%%/I, nor "
		"FROM%%-TO%%\n", s->time);
	return CMD_USAGE;
}

void selection_fini(struct selection *s)
{
	recording_whose_free(&s->whose);
	free(s->comms.value);
	free(s->not_comms.value);
	free(s->dsos.value);
	free(s->symbols.value);
}

bool selection_of_threads(const struct selection *s)
{
	return s->comms.n || s->not_comms.n || s->whose.tids || s->whose.pids || s->n_not_pid ||
	       s->only_known;
}

bool selection_of_runs(const struct selection *s)
{
	return s->cpus || s->time || selection_of_threads(s);
}

/* A thread without a name has perf's word for it. */
static bool has_name(const struct selection *s, const struct perf_replay *replay)
{
	const char *comm = perf_tasks_comm(replay->tasks, s->tid, s->at);
	char number[16];

	if (!comm) {
		snprintf(number, sizeof(number), ":%d", (int32_t)s->tid);
		comm = number;
	}
	return opt_list_has(&s->comms, comm) &&
	       (!s->not_comms.n || !opt_list_has(&s->not_comms, comm));
}

static int by_pid(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static bool is_left_out(const struct selection *s, uint32_t pid)
{
	return (s->only_known && pid == PERF_NO_TID) ||
	       (s->n_not_pid && bsearch(&pid, s->not_pid, s->n_not_pid, sizeof(pid), by_pid));
}

bool selection_has_run(struct selection *s, const struct perf_replay *replay,
		       const struct perf_run *run)
{
	uint64_t at = run->stream->time ? run->stream->time : run->fragment->time;

	if (!recording_whose_has(&s->whose, &run->who) || is_left_out(s, run->who.pid))
		return false;
	if (!s->comms.n && !s->not_comms.n)
		return true;
	at = at ? at : PERF_TASKS_LAST;
	/* finding a name costs time */
	if (!s->looked || s->tid != run->who.tid || s->at != at) {
		s->looked = true;
		s->tid = run->who.tid;
		s->at = at;
		s->found = has_name(s, replay);
	}
	return s->found;
}

bool selection_has_dso(const struct selection *s, const char *path)
{
	const char *name = strrchr(path, '/');

	return opt_list_has(&s->dsos, path) || (name && opt_list_has(&s->dsos, name + 1));
}

/* By its name or, in hexadecimal after 0x, its first address. */
static bool has_symbol(const struct selection *s, struct perf_code *code,
		       const struct code_place *at)
{
	struct code_place place = *at;
	struct elf_symbol symbol;
	char addr[24];

	if (!perf_code_symbol(code, at, &symbol))
		return false;
	if (opt_list_has_function(&s->symbols, symbol.name))
		return true;
	/* has_addr may come with the symbol */
	perf_code_place(code, at->section, at->offset, &place);
	snprintf(addr, sizeof(addr), "0x%" PRIx64, symbol.addr);
	return place.has_addr && opt_list_has(&s->symbols, addr);
}

bool selection_has_place(const struct selection *s, struct perf_code *code,
			 const struct code_place *place)
{
	return (!s->dsos.n || selection_has_dso(s, place->dso->name)) &&
	       (!s->symbols.n || has_symbol(s, code, place));
}
