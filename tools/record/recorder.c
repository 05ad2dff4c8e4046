// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../../kernel-glue/include/uapi/csf_abi.h"
#include "../../perf-plugin/perf-cs.h"
#include "../lib/frame-write.h"
#include "../lib/machine.h"

/* Space reserved on the disk for the end of the file. */
#define RESERVE		(256u << 10)
/* The smallest piece of trace that is written, except the first and the last. */
#define PIECE		4096
#define SINK		0x1234u		/* the ID of the sink that all CPUs share */

/**
 * struct ring - an AUX ring
 * @key: CPU, or thread
 * @head: bytes that went through it
 * @aux: bytes of @bytes that AUX records name; after them is current trace
 * @frames: per thread, its frames
 * @open: it has trace that no AUX record names yet, sent by @who
 */
struct ring {
	uint32_t key, index;
	uint64_t head;
	uint8_t *bytes;
	size_t n, size, aux;
	struct frame_writer frames;
	struct perf_write_who who;
	bool open;
};

/**
 * struct recorder - a recording
 * @reserve: an unnamed file, whose space is freed for the end of the recording
 * @bytes: of trace; @saved: of these, written to the file
 * @last: the latest time so far
 */
struct recorder {
	struct perf_writer *writer;
	struct recorder_setup setup;
	int fd, reserve;
	int err;
	struct ring **ring;
	size_t n_ring;
	struct frame_writer sink;
	uint64_t bytes, saved;
	uint64_t last;
};

/* ---------------------------------------------------------------- files */

/* A file without a name beside @path, with reserved space. */
static int open_reserve(const char *path)
{
	char name[PATH_MAX];
	int fd, err;

	if (snprintf(name, sizeof(name), "%s.XXXXXX", path) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(name);
	err = posix_fallocate(fd, 0, RESERVE);
	/* If the size of a file is limited, not the disk, the reserve is useless. */
	if (err && err != EFBIG) {
		close(fd);
		return -err;
	}
	return fd;
}

static uint64_t total_mem(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 0 : (uint64_t)info.totalram * info.mem_unit >> 10;
}

static int begin(struct recorder *r)
{
	const struct recorder_setup *setup = &r->setup;
	struct perf_cs_cpu *cpu = calloc(setup->n_cpu, sizeof(*cpu));
	struct utsname name = { 0 };
	char by[64];
	/* A program on qemu-user sees our host name, kernel and memory, but not our processor. */
	struct perf_write_setup as = {
		.version = setup->version, .per_thread = setup->per_thread, .cpu = cpu,
		.n_cpu = setup->n_cpu, .exclude_kernel = true, .command = setup->command,
		.hostname = name.nodename, .release = name.release, .by = by,
		.cpu_name = PERF_EMULATOR, .cpu_id = MACHINE_CPU_ID,
		.total_mem = total_mem(),
		.time_conv = { .mult = 1, .cycles = 0, .mask = UINT64_MAX },
	};
	int err;

	if (!cpu)
		return -ENOMEM;
	for (uint32_t i = 0; i < setup->n_cpu; i++) {
		cpu[i] = (struct perf_cs_cpu){ .config = setup->config, .cpu = i,
					       .protocol = csf_config_protocol(&setup->config),
					       .authstatus = 0x8c,
					       .time = PERF_CS_TIME_VIRTUAL,
					       .id = setup->first_id + i };
	}
	uname(&name);
	snprintf(by, sizeof(by), "csflow %s", csf_version());
	err = perf_write_new(&r->writer, r->fd, &as);
	free(cpu);
	return err;
}

/* From version 2 on the kernel tells the CPU of each trace ID before there is any trace. */
static void write_ids(struct recorder *r)
{
	for (uint32_t i = 0; r->setup.version >= 2 && i < r->setup.n_cpu; i++) {
		const struct perf_write_who who = { .cpu = i };

		perf_write_hw_id(r->writer, &who, r->setup.first_id + i,
				 r->setup.framed ? SINK : SINK + 1 + i);
	}
}

int recorder_new(struct recorder **answer, const char *path, const struct recorder_setup *setup)
{
	struct recorder *r = calloc(1, sizeof(*r));
	struct stat st;
	int err;

	*answer = NULL;
	if (!r)
		return -ENOMEM;
	r->setup = *setup;
	r->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	err = r->fd < 0 ? -errno : 0;
	r->reserve = err ? -1 : open_reserve(path);
	if (!err)
		err = r->reserve < 0 ? r->reserve : begin(r);
	if (!err) {
		write_ids(r);
		*answer = r;
		return 0;
	}
	if (r->fd >= 0 && !fstat(r->fd, &st) && S_ISREG(st.st_mode))
		unlink(path);
	if (r->fd >= 0)
		close(r->fd);
	if (r->reserve >= 0)
		close(r->reserve);
	free(r);
	return err;
}

void recorder_time(struct recorder *r, uint64_t time)
{
	if (r->last < time)
		r->last = time;
}

struct perf_writer *recorder_writer(struct recorder *r)
{
	return r->writer;
}

/* ---------------------------------------------------------------- rings */

static void fail(struct recorder *r, int err)
{
	if (!r->err)
		r->err = err;
}

static struct ring *ring_of(struct recorder *r, const struct perf_write_who *who)
{
	uint32_t key = r->setup.per_thread ? who->tid : who->cpu;
	struct ring *ring, **grown;

	for (size_t i = r->n_ring; i--;)
		if (r->ring[i]->key == key)
			return r->ring[i];
	ring = calloc(1, sizeof(*ring));
	grown = ring ? realloc(r->ring, (r->n_ring + 1) * sizeof(*grown)) : NULL;
	if (!grown) {
		free(ring);
		fail(r, -ENOMEM);
		return NULL;
	}
	ring->key = key;
	ring->index = r->setup.per_thread ? r->n_ring : key;
	r->ring = grown;
	r->ring[r->n_ring++] = ring;
	return ring;
}

static void append(struct recorder *r, struct ring *ring, const void *bytes, size_t n)
{
	if (ring->size - ring->n < n) {
		size_t size = 2 * ring->size + n;
		uint8_t *p = realloc(ring->bytes, size);

		if (!p) {
			fail(r, -ENOMEM);
			return;
		}
		ring->bytes = p;
		ring->size = size;
	}
	if (n)
		memcpy(ring->bytes + ring->n, bytes, n);
	ring->n += n;
}

static void write_ring(struct recorder *r, struct ring *ring)
{
	struct perf_auxtrace as = {
		.size = ring->aux, .offset = ring->head - ring->aux, .idx = ring->index,
		.reference = ring->head * 2654435761u + ring->index + 1,
		.cpu = r->setup.per_thread ? PERF_NO_CPU : ring->key,
		.tid = r->setup.per_thread ? ring->key : PERF_NO_TID,
	};

	if (!ring->aux)
		return;
	r->saved += ring->aux;
	perf_write_auxtrace(r->writer, &as, ring->bytes);
	perf_write_round(r->writer);
	memmove(ring->bytes, ring->bytes + ring->aux, ring->n - ring->aux);
	ring->n -= ring->aux;
	ring->aux = 0;
}

void recorder_trace(struct recorder *r, const struct perf_write_who *who, const void *bytes,
		    size_t n)
{
	struct ring *ring = ring_of(r, who);

	r->bytes += n;
	if (!ring || r->err)
		return;
	ring->open = true;
	ring->who = *who;
	if (!r->setup.framed)
		append(r, ring, bytes, n);
	else
		frame_write(r->setup.per_thread ? &ring->frames : &r->sink,
			    r->setup.first_id + who->cpu, bytes, n);
}

/* One AUX record names the trace of this ring; for the shared sink, that of all rings. */
static void close_rings(struct recorder *r, struct ring *ring)
{
	ring->open = false;
	for (size_t i = 0; r->setup.framed && !r->setup.per_thread && i < r->n_ring; i++)
		r->ring[i]->open = false;
}

/*
 * A file may end at any time, for example if the disk is full: so half of it should be trace,
 * without which the rest is useless.
 */
static bool is_due(const struct recorder *r, const struct ring *ring)
{
	return ring->aux >= r->setup.aux_size / 2 ||
	       (ring->aux >= (r->saved ? PIECE : 1) &&
		2 * r->saved < perf_write_size(r->writer));
}

void recorder_aux(struct recorder *r, const struct perf_write_who *who, uint64_t flags)
{
	struct ring *ring = ring_of(r, who);
	struct frame_writer *frames;
	struct perf_aux_record aux = {
		.flags = flags | (r->setup.framed ? CSF_ABI_AUX_FORMAT_FRAMES :
				  CSF_ABI_AUX_FORMAT_RAW),
	};

	if (!ring || r->err)
		return;
	frames = r->setup.per_thread ? &ring->frames : &r->sink;
	if (r->setup.framed) {
		frame_write_end(frames);
		append(r, ring, frames->data, frames->n);
		frames->n = 0;
		if (frames->no_memory)
			fail(r, -ENOMEM);
	}
	close_rings(r, ring);
	aux.offset = ring->head;
	aux.size = ring->n - ring->aux;
	if (!aux.size && !flags)
		return;
	perf_write_aux(r->writer, who, &aux);
	ring->head += aux.size;
	ring->aux = ring->n;
	if (is_due(r, ring))
		write_ring(r, ring);
}

int recorder_error(const struct recorder *r)
{
	return r->err ? r->err : perf_write_error(r->writer);
}

uint64_t recorder_bytes(const struct recorder *r)
{
	return r->bytes;
}

int recorder_finish(struct recorder *r)
{
	int err;

	close(r->reserve);
	perf_write_recover(r->writer);
	/* The unit, which reports full buffers, is gone: close all buffers now. */
	for (size_t i = 0; i < r->n_ring; i++)
		if (r->ring[i]->open) {
			if (r->ring[i]->who.time < r->last)
				r->ring[i]->who.time = r->last;
			recorder_aux(r, &r->ring[i]->who, 0);
		}
	for (size_t i = 0; i < r->n_ring; i++)
		write_ring(r, r->ring[i]);
	err = perf_write_finish(r->writer);
	if (!err)
		err = r->err;
	for (size_t i = 0; i < r->n_ring; i++) {
		free(r->ring[i]->bytes);
		free(r->ring[i]->frames.data);
		free(r->ring[i]);
	}
	free(r->ring);
	free(r->sink.data);
	close(r->fd);
	free(r);
	return err;
}
