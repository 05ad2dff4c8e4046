/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf's internal interfaces as in its latest version, for older versions.  shim-probes.h, which
 * probe.sh writes, says what a perf has.
 */
#ifndef SHIM_COMPAT_H
#define SHIM_COMPAT_H

#include <string.h>

#include <perf.h>
#include <util/auxtrace.h>
#include <util/debug.h>
#include <util/dso.h>
#include <util/event.h>
#include <util/evlist.h>
#include <util/evsel.h>
#include <util/machine.h>
#include <util/map.h>
#include <util/map_symbol.h>
#include <util/maps.h>
#include <util/session.h>
#include <util/symbol_conf.h>
#include <util/synthetic-events.h>
#include <util/thread.h>
#include <util/tool.h>
#include <util/util.h>
/* needs what is above */
#include <util/branch.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include <shim-probes.h>

#if SHIM_HAS_CONST_TOOL
#define shim_const	const
#else
#define shim_const
#endif

#if !SHIM_HAS_MAP_ACCESSORS
static inline struct dso *map__dso(const struct map *map)
{
	return map->dso;
}

static inline u64 map__start(const struct map *map)
{
	return map->start;
}

static inline u64 map__end(const struct map *map)
{
	return map->end;
}

static inline u64 map__pgoff(const struct map *map)
{
	return map->pgoff;
}

static inline const char *dso__long_name(const struct dso *dso)
{
	return dso->long_name;
}

static inline const char *dso__short_name(const struct dso *dso)
{
	return dso->short_name;
}

/* Addresses of memory without a file. */
static inline bool shim_map_is_identity(struct map *map)
{
	return map->map_ip == identity__map_ip;
}
#else
static inline bool shim_map_is_identity(struct map *map)
{
	return map__mapping_type(map) == MAPPING_TYPE__IDENTITY;
}
#endif

/* Return: NULL: the recording has none. */
static inline const struct build_id *shim_dso_build_id(const struct dso *dso)
{
#if SHIM_HAS_BID_CONST
	return dso__has_build_id(dso) ? dso__bid_const(dso) : NULL;
#elif SHIM_HAS_MAP_ACCESSORS
	return dso__has_build_id(dso) ? dso__bid(dso) : NULL;
#else
	return dso->has_build_id ? &dso->bid : NULL;
#endif
}

#if !SHIM_HAS_THREAD_ACCESSORS
static inline struct maps *thread__maps(struct thread *thread)
{
	return thread->maps;
}

static inline pid_t thread__pid(const struct thread *thread)
{
	return thread->pid_;
}
#endif

/* Calls @fn for each of @maps until a call returns a value other than 0; returns that value. */
static inline int shim_walk_maps(struct maps *maps, int (*fn)(struct map *map, void *data),
				 void *data)
{
#if SHIM_HAS_FOR_EACH_MAP
	return maps__for_each_map(maps, fn, data);
#else
	struct map *map;
	int ret;

	maps__for_each_entry(maps, map) {
		ret = fn(map, data);
		if (ret)
			return ret;
	}
	return 0;
#endif
}

/* Returns it with a reference. */
static inline struct map *shim_maps_find(struct maps *maps, u64 addr)
{
#if SHIM_HAS_FIND_REF
	return maps__find(maps, addr);
#else
	return map__get(maps__find(maps, addr));
#endif
}

/* A thread that has exited must still be found: its trace comes out of the buffer later. */
static inline void shim_keep_exited_threads(void)
{
#if SHIM_HAS_KEEP_EXITED
	symbol_conf.keep_exited_threads = true;
#endif
}

static inline bool shim_itrace_cycles(const struct itrace_synth_opts *opts __maybe_unused)
{
#if SHIM_HAS_ITRACE_CYCLES
	return opts->cycles;
#else
	return false;
#endif
}

static inline void shim_no_cycles(struct itrace_synth_opts *opts __maybe_unused)
{
#if SHIM_HAS_ITRACE_CYCLES
	opts->cycles = false;
#endif
}

static inline bool shim_itrace_timestamp(const struct itrace_synth_opts *opts __maybe_unused)
{
#if SHIM_HAS_ITRACE_TIMESTAMP
	return opts->use_timestamp;
#else
	return false;
#endif
}

/* The first ID of synthesized events. */
static inline u64 shim_first_id(struct evsel *evsel)
{
#if SHIM_HAS_SYNTH_ID
	return auxtrace_synth_id_range_start(evsel);
#else
	u64 id = evsel->core.id ? evsel->core.id[0] + 1000000000 : 0;

	return id ? id : 1;
#endif
}

static inline void shim_sample_init(struct perf_sample *sample)
{
#if SHIM_HAS_SAMPLE_INIT
	perf_sample__init(sample, /*all=*/true);
#else
	memset(sample, 0, sizeof(*sample));
#endif
}

static inline void shim_sample_exit(struct perf_sample *sample __maybe_unused)
{
#if SHIM_HAS_SAMPLE_INIT
	perf_sample__exit(sample);
#endif
}

/* Turns @sample into a record, in @event, which has PERF_SAMPLE_MAX_SIZE bytes. */
static inline int shim_write_sample(union perf_event *event, const struct perf_event_attr *attr,
				    const struct perf_sample *sample)
{
	size_t size;

#if SHIM_HAS_BRANCH_TYPE
	size = perf_event__sample_event_size(sample, attr->sample_type, attr->read_format,
					     attr->branch_sample_type);
#else
	size = perf_event__sample_event_size(sample, attr->sample_type, attr->read_format);
#endif
	if (size >= PERF_SAMPLE_MAX_SIZE)
		return -EFAULT;
	event->header.size = size;
#if SHIM_HAS_BRANCH_TYPE
	return perf_event__synthesize_sample(event, attr->sample_type, attr->read_format,
					     attr->branch_sample_type, sample);
#else
	return perf_event__synthesize_sample(event, attr->sample_type, attr->read_format, sample);
#endif
}

#endif /* SHIM_COMPAT_H */
