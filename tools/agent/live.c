// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../../kernel-glue/include/uapi/csf_abi.h"
#include "../../perf-plugin/perf-abi.h"
#include "../../perf-plugin/perf-write.h"
#include "clock.h"
#include "rings.h"
#include "running.h"
#include "units.h"

#define CGROUPS	"/sys/fs/cgroup"
/* How long the rings may fill without a look at them. */
#define LOOK_MS	100

struct session {
	struct live *live;
	struct rings *rings;
	struct perf_writer *writer;
};

/* ---------------------------------------------------------------- records */

/* A record of the kernel, cut into its parts. */
struct record {
	struct perf_event_header header;
	const uint8_t *body;
	size_t n;
	struct perf_write_who who;
};

static bool cut_record(struct record *r, const void *bytes, size_t size)
{
	struct rings_id id;

	if (size < sizeof(r->header) + sizeof(id))
		return false;
	memcpy(&r->header, bytes, sizeof(r->header));
	memcpy(&id, (const uint8_t *)bytes + size - sizeof(id), sizeof(id));
	r->body = (const uint8_t *)bytes + sizeof(r->header);
	r->n = size - sizeof(r->header) - sizeof(id);
	r->who = (struct perf_write_who){ .time = id.time, .pid = id.pid, .tid = id.tid,
					  .cpu = id.cpu };
	return true;
}

static uint64_t word(const struct record *r, size_t i)
{
	uint64_t value = 0;

	if (8 * (i + 1) <= r->n)
		memcpy(&value, r->body + 8 * i, sizeof(value));
	return value;
}

static uint32_t half(const struct record *r, size_t i)
{
	return word(r, i / 2) >> (i & 1 ? 32 : 0);
}

static void take_aux(struct session *s, const struct record *r)
{
	const struct perf_aux_record aux = { .offset = word(r, 0), .size = word(r, 1),
					     .flags = word(r, 2) };

	if (aux.flags & (CSF_ABI_AUX_TRUNCATED | CSF_ABI_AUX_COLLISION | CSF_ABI_AUX_PARTIAL))
		s->live->cut++;
	perf_write_aux(s->writer, &r->who, &aux);
}

static void take_hw_id(struct session *s, const struct record *r)
{
	const uint64_t id = word(r, 0);

	perf_write_hw_id(s->writer, &r->who, CSF_ABI_HW_ID_TRACE(id),
			 CSF_ABI_HW_ID_GET_MINOR(id) ? CSF_ABI_HW_ID_SINK(id) : PERF_CS_NO_SINK);
}

static int take_fork(struct session *s, const struct record *r)
{
	const struct apart_fork fork = { .time = r->who.time, .pid = half(r, 0),
					 .parent = half(r, 1) };

	/* a thread has the process of its parent */
	return fork.pid == fork.parent ? 0 : apart_add_fork(&s->live->apart, &fork);
}

static int take_comm(struct session *s, const struct record *r)
{
	struct live *live = s->live;
	char comm[16] = "";

	if (r->n > 8)
		memcpy(comm, r->body + 8, r->n - 8 < sizeof(comm) ? r->n - 8 : sizeof(comm));
	comm[sizeof(comm) - 1] = '\0';
	return half(r, 0) == half(r, 1) && apart_fits(live->config, half(r, 0), comm) ?
	       apart_add(&live->apart, half(r, 0)) : 0;
}

static int take_record(void *owner, const void *bytes, size_t size)
{
	struct session *s = owner;
	struct record r;
	struct perf_write_record as = { .bytes = NULL };

	if (!cut_record(&r, bytes, size))
		return 0;
	switch (r.header.type) {
	case PERF_RECORD_AUX:
		take_aux(s, &r);
		return 0;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		take_hw_id(s, &r);
		return 0;
	case PERF_RECORD_ITRACE_START:
		r.who.pid = half(&r, 0);
		r.who.tid = half(&r, 1);
		perf_write_itrace_start(s->writer, &r.who);
		return 0;
	case PERF_RECORD_LOST:
		s->live->lost += word(&r, 1);
		break;
	}
	as = (struct perf_write_record){ .type = r.header.type, .misc = r.header.misc,
					 .bytes = r.body, .n_bytes = r.n };
	perf_write_record(s->writer, &r.who, &as);
	if (!agent_config_excludes(s->live->config))
		return 0;
	return r.header.type == PERF_RECORD_FORK ? take_fork(s, &r) :
	       r.header.type == PERF_RECORD_COMM ? take_comm(s, &r) : 0;
}

/* ---------------------------------------------------------------- rings */

static void take_trace(struct session *s, size_t i)
{
	struct rings_trace trace;
	struct perf_auxtrace as = { .idx = i, .tid = PERF_NO_TID, .cpu = rings_cpu(s->rings, i) };

	if (!rings_trace(s->rings, i, &trace))
		return;
	as.offset = trace.offset;
	as.size = trace.n[0] + trace.n[1];
	as.reference = trace.offset * 2654435761u + i + 1;
	perf_write_auxtrace(s->writer, &as, NULL);
	perf_write_bytes(s->writer, trace.bytes[0], trace.n[0]);
	perf_write_bytes(s->writer, trace.bytes[1], trace.n[1]);
	rings_trace_done(s->rings, i);
}

/* The records of a ring come before its trace, and then the times of the next round. */
static int drain(struct session *s)
{
	int err = 0;

	for (size_t i = 0; i < rings_n(s->rings) && !err; i++) {
		err = rings_records(s->rings, i, take_record, s);
		take_trace(s, i);
	}
	perf_write_round(s->writer);
	s->live->size = perf_write_size(s->writer);
	return err ? err : perf_write_error(s->writer);
}

static int record(struct session *s)
{
	const uint64_t begin = clock_ms();
	struct live *live = s->live;
	uint64_t left = live->config->duration;
	int err = rings_start(s->rings);

	while (!err && left && !*live->stop && live->size < live->most) {
		rings_wait(s->rings, left < LOOK_MS ? left : LOOK_MS);
		err = drain(s);
		live->ms = clock_ms() - begin;
		left = live->ms < live->config->duration ? live->config->duration - live->ms : 0;
	}
	rings_stop(s->rings);
	return err ? err : drain(s);
}

/* ---------------------------------------------------------------- a recording */

static int open_cgroup(const char *name)
{
	const bool whole = !strncmp(name, CGROUPS, sizeof(CGROUPS) - 1);
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s%s%s", whole ? "" : CGROUPS, whole || *name == '/' ? "" : "/",
		 name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int begin_file(struct session *s, const struct units *units)
{
	struct utsname name = { 0 };
	struct rings_clock clock;
	char by[64];
	struct perf_write_setup setup = {
		.version = CSF_ABI_INFO_VERSION_MAX, .exclude_kernel = true,
		.config = units->config, .pmu_type = units->pmu_type, .cpu = units->cpu,
		.n_cpu = units->n, .release = name.release, .by = by,
	};

	uname(&name);
	snprintf(by, sizeof(by), "csflow agent %s", csf_version());
	rings_clock(s->rings, &clock);
	setup.time_conv = (struct perf_time_conv){
		.shift = clock.shift, .mult = clock.mult, .zero = clock.zero,
		.cycles = clock.cycles, .mask = clock.mask, .is_short = clock.is_short,
	};
	return perf_write_new(&s->writer, s->live->fd, &setup);
}

/* Tasks are recorded since the rings were opened, so none is missed between /proc and here. */
static int record_into(struct session *s, const struct units *units, const char **what)
{
	int err;

	*what = "writing the recording";
	err = begin_file(s, units);
	if (!err) {
		*what = "reading /proc";
		err = running_write(s->writer, s->live->config, &s->live->apart);
	}
	if (!err) {
		*what = "recording";
		err = record(s);
	}
	if (!err && agent_config_excludes(s->live->config))
		err = running_write(NULL, s->live->config, &s->live->apart);
	if (!err)
		err = apart_follow(&s->live->apart);
	if (s->writer) {
		const int late = perf_write_finish(s->writer);

		err = err ? err : late;
	}
	return err;
}

static int open_rings(struct session *s, const struct units *units, const char **what)
{
	const struct agent_config *c = s->live->config;
	struct rings_setup setup = { .pmu_type = units->pmu_type, .config = units->config,
				     .cpus = c->cpus, .cgroup = -1, .size = c->buffer };
	const size_t page = sysconf(_SC_PAGESIZE);
	int err = 0;

	/* all rings together have a quarter of the memory; each has a page */
	if (setup.size < page)
		setup.size = page;
	while (setup.size > page && setup.size * units->n > c->memory / 4)
		setup.size /= 2;
	if (c->cgroup) {
		*what = "opening the cgroup";
		setup.cgroup = open_cgroup(c->cgroup);
		err = setup.cgroup < 0 ? setup.cgroup : 0;
	}
	if (!err) {
		*what = "opening cs_etm";
		err = rings_open(&s->rings, &setup);
		if (err == -ENOENT && c->cgroup)
			*what = "opening cs_etm for the cgroup, which has no controller perf_event";
	}
	if (setup.cgroup >= 0)
		close(setup.cgroup);
	return err;
}

int live_record(struct live *live, const char **what)
{
	struct session s = { .live = live };
	struct units units = { 0 };
	uint32_t *cpu = NULL;
	long n;
	int err;

	*what = "leaving out the agent itself";
	err = apart_add(&live->apart, getpid());
	if (err)
		return err;
	*what = "listing CPUs";
	n = rings_cpus(live->config->cpus, &cpu);
	err = n < 0 ? n : 0;
	if (!err) {
		*what = "reading the trace units in sysfs";
		err = units_read(&units, cpu, n);
	}
	if (!err)
		err = open_rings(&s, &units, what);
	if (!err)
		err = record_into(&s, &units, what);
	if (s.rings)
		rings_close(s.rings);
	units_free(&units);
	free(cpu);
	return err;
}
