// SPDX-License-Identifier: GPL-2.0-only
/*
 * libperf maps no AUX area, and opens no events of cgroups.  Both need the file descriptors of its
 * events, which only its internal headers show.
 */
#define _GNU_SOURCE
#include "rings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>
#include <perf/core.h>
#include <perf/cpumap.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <perf/threadmap.h>
#include <internal/cpumap.h>
#include <internal/evsel.h>
#include <internal/mmap.h>
#include <internal/threadmap.h>
#include <internal/xyarray.h>

/* Pages of each ring of records. */
#define PAGES	128

/**
 * struct ring - of a CPU
 * @map: libperf's, of records
 * @page: the kernel's control page
 * @aux: the ring of trace; @seen: the kernel has written up to here
 */
struct ring {
	struct perf_mmap *map;
	struct perf_event_mmap_page *page;
	uint8_t *aux;
	uint64_t seen;
};

/**
 * struct rings - see rings.h
 * @list: has the events @trace and @tasks
 * @everything: in the place of a thread
 */
struct rings {
	struct rings_setup setup;
	struct perf_evlist *list;
	struct perf_evsel *trace, *tasks;
	struct perf_cpu_map *cpus;
	struct perf_thread_map *everything;
	struct ring *ring;
	size_t n;
};

static int quiet(enum libperf_print_level level, const char *format, va_list args)
{
	return 0;
}

/* ---------------------------------------------------------------- opening */

#define SAMPLE_TYPE	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
			 PERF_SAMPLE_IDENTIFIER)

/* Of a cgroup, the descriptor of its folder is in the place of a thread. */
static int open_of_cgroup(struct rings *r)
{
	struct perf_event_attr *attr = perf_evsel__attr(r->trace);
	const int n = perf_cpu_map__nr(r->cpus);
	int err = perf_evsel__alloc_fd(r->trace, n, 1);

	for (int i = 0; i < n && !err; i++) {
		int fd = syscall(__NR_perf_event_open, attr, r->setup.cgroup,
				 perf_cpu_map__cpu(r->cpus, i).cpu, -1,
				 PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC);

		if (fd < 0)
			err = -errno;
		else
			*(int *)xyarray__entry(r->trace->fd, i, 0) = fd;
	}
	return err;
}

/* Events of this kind begin to count at once, so no map is missed while /proc is read. */
static int make_events(struct rings *r)
{
	struct perf_event_attr trace = {
		.type = r->setup.pmu_type, .size = sizeof(trace), .config = r->setup.config,
		.sample_period = 1, .sample_type = SAMPLE_TYPE, .read_format = PERF_FORMAT_ID,
		.disabled = 1, .exclude_kernel = 1, .exclude_hv = 1, .sample_id_all = 1,
	};
	struct perf_event_attr tasks = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(tasks), .config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1, .sample_type = SAMPLE_TYPE, .read_format = PERF_FORMAT_ID,
		.exclude_kernel = 1, .exclude_hv = 1, .sample_id_all = 1, .mmap = 1, .mmap2 = 1,
		.comm = 1, .comm_exec = 1, .task = 1, .context_switch = 1, .build_id = 1,
		.watermark = 1, .wakeup_watermark = PAGES * 4096 / 2,
	};

	r->list = perf_evlist__new();
	/* the first event of a CPU has its rings */
	r->trace = perf_evsel__new(&trace);
	r->tasks = perf_evsel__new(&tasks);
	r->everything = perf_thread_map__new_dummy();
	if (!r->list || !r->trace || !r->tasks || !r->everything) {
		perf_evsel__delete(r->trace);
		perf_evsel__delete(r->tasks);
		return -ENOMEM;
	}
	perf_evlist__add(r->list, r->trace);
	perf_evlist__add(r->list, r->tasks);
	perf_evlist__set_maps(r->list, r->cpus, r->everything);
	return 0;
}

/* Kernels before 5.12 write no build-ids. */
static int open_tasks(struct rings *r)
{
	int err = perf_evsel__open(r->tasks, r->cpus, r->everything);

	if (err != -EINVAL)
		return err;
	perf_evsel__attr(r->tasks)->build_id = 0;
	return perf_evsel__open(r->tasks, r->cpus, r->everything);
}

static int open_events(struct rings *r)
{
	int err = r->setup.cgroup >= 0 ? open_of_cgroup(r) :
		  perf_evsel__open(r->trace, r->cpus, r->everything);

	return err ? err : open_tasks(r);
}

/* The ring of trace, after that of records. */
static int map_trace(struct rings *r, struct ring *ring)
{
	struct perf_event_mmap_page *page = ring->map->base;
	void *aux;

	page->aux_offset = page->data_offset + page->data_size;
	page->aux_size = r->setup.size;
	aux = mmap(NULL, r->setup.size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->map->fd,
		   page->aux_offset);
	if (aux == MAP_FAILED)
		return -errno;
	ring->page = page;
	ring->aux = aux;
	return 0;
}

static int map_rings(struct rings *r)
{
	struct perf_mmap *map;
	int err = perf_evlist__mmap(r->list, PAGES);

	if (err)
		return err;
	r->ring = calloc(perf_cpu_map__nr(r->cpus), sizeof(*r->ring));
	if (!r->ring)
		return -ENOMEM;
	perf_evlist__for_each_mmap(r->list, map, false) {
		r->ring[r->n].map = map;
		err = map_trace(r, &r->ring[r->n++]);
		if (err)
			return err;
	}
	return 0;
}

long rings_cpus(const char *list, uint32_t **cpu)
{
	struct perf_cpu_map *map;
	long n;

	libperf_init(quiet);
	map = list ? perf_cpu_map__new(list) : perf_cpu_map__new_online_cpus();
	n = map ? perf_cpu_map__nr(map) : -EINVAL;
	*cpu = n > 0 ? malloc(n * sizeof(**cpu)) : NULL;
	for (long i = 0; i < n && *cpu; i++)
		(*cpu)[i] = perf_cpu_map__cpu(map, i).cpu;
	perf_cpu_map__put(map);
	return n > 0 && !*cpu ? -ENOMEM : n;
}

int rings_open(struct rings **answer, const struct rings_setup *setup)
{
	struct rings *r = calloc(1, sizeof(*r));
	int err = r ? 0 : -ENOMEM;

	*answer = NULL;
	if (err)
		return err;
	libperf_init(quiet);
	r->setup = *setup;
	r->cpus = setup->cpus ? perf_cpu_map__new(setup->cpus) : perf_cpu_map__new_online_cpus();
	if (!r->cpus)
		err = -EINVAL;
	if (!err)
		err = make_events(r);
	if (!err)
		err = open_events(r);
	if (!err)
		err = map_rings(r);
	if (err)
		rings_close(r);
	else
		*answer = r;
	return err;
}

void rings_close(struct rings *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->ring[i].aux)
			munmap(r->ring[i].aux, r->setup.size);
	perf_evlist__delete(r->list);
	perf_cpu_map__put(r->cpus);
	perf_thread_map__put(r->everything);
	free(r->ring);
	free(r);
}

/* ---------------------------------------------------------------- reading */

size_t rings_n(const struct rings *r)
{
	return r->n;
}

uint32_t rings_cpu(const struct rings *r, size_t i)
{
	return r->ring[i].map->cpu.cpu;
}

int rings_start(struct rings *r)
{
	return perf_evsel__enable(r->trace) ? -errno : 0;
}

int rings_stop(struct rings *r)
{
	return perf_evsel__disable(r->trace) ? -errno : 0;
}

void rings_wait(struct rings *r, int ms)
{
	perf_evlist__poll(r->list, ms);
}

int rings_records(struct rings *r, size_t i,
		  int (*take)(void *owner, const void *record, size_t size), void *owner)
{
	struct perf_mmap *map = r->ring[i].map;
	union perf_event *event;
	int err = 0;

	if (perf_mmap__read_init(map) < 0)
		return 0;
	while (!err && (event = perf_mmap__read_event(map))) {
		const struct perf_event_header *header = (const void *)event;

		err = take(owner, event, header->size);
		perf_mmap__consume(map);
	}
	perf_mmap__read_done(map);
	return err;
}

bool rings_trace(struct rings *r, size_t i, struct rings_trace *trace)
{
	struct ring *ring = &r->ring[i];
	const uint64_t head = __atomic_load_n(&ring->page->aux_head, __ATOMIC_ACQUIRE);
	const uint64_t tail = ring->page->aux_tail, at = tail & (r->setup.size - 1);
	const size_t n = head - tail, end = r->setup.size - at;

	ring->seen = head;
	trace->offset = tail;
	trace->bytes[0] = ring->aux + at;
	trace->n[0] = n < end ? n : end;
	trace->bytes[1] = ring->aux;
	trace->n[1] = n - trace->n[0];
	return n;
}

void rings_trace_done(struct rings *r, size_t i)
{
	__atomic_store_n(&r->ring[i].page->aux_tail, r->ring[i].seen, __ATOMIC_RELEASE);
}

/* The kernel changes the numbers, and @lock tells that it does. */
void rings_clock(struct rings *r, struct rings_clock *clock)
{
	const struct perf_event_mmap_page *page = r->ring[0].page;
	uint32_t lock;

	*clock = (struct rings_clock){ 0 };
	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		if (!page->cap_user_time_zero)
			return;
		clock->mult = page->time_mult;
		clock->shift = page->time_shift;
		clock->zero = page->time_zero;
		clock->is_short = page->cap_user_time_short;
		clock->cycles = clock->is_short ? page->time_cycles : 0;
		clock->mask = clock->is_short ? page->time_mask : UINT64_MAX;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (page->lock != lock || lock & 1);
}
