// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a recording that perf opens: all that happens inside perf, except perf itself.  The
 * first bytes choose the options.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "../../perf-plugin/perf-sample.h"
#include "../../perf-plugin/plugin.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Enough for any recording but those that only keep a fuzzer busy. */
#define SAMPLES_MAX	200000
#define STREAMS_MAX	64
#define N_OPTIONS	6

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Some code everywhere, the same for all. */
static size_t read_code(void *context, uint64_t offset, void *buf, size_t n)
{
	static const uint32_t code[] = {
		0xd503201f, 0x54000041, 0x94000004, 0xd65f03c0, 0xd61f0000, 0xd4000001, 0xd503201f,
		0x14000002,
	};

	for (size_t i = 0; i < n; i++)
		((uint8_t *)buf)[i] = ((const uint8_t *)code)[(offset + i) % sizeof(code)];
	return n;
}

static int space_of(void *context, const struct plugin_who *who)
{
	const int *space = context;

	return who->tid == PLUGIN_NONE ? CSF_SPACE_ALL : space[who->tid & 1];
}

static void map_code(struct csf_image *image, int *space)
{
	static const uint64_t at[] = { 0x400000, 0xaaaaaaaa0000, 0xffff800080000000 };

	for (int i = 0; i < 2; i++) {
		int section = csf_section_read(image, 1u << 20, read_code, NULL);

		space[i] = csf_space_new(image);
		check(space[i] > 0 && section > 0);
		for (int k = 0; k < 2; k++)
			csf_map(image, space[i], at[k] + 0x100000 * i, 1u << 16, section,
				(uint64_t)k << 16);
	}
	csf_map(image, CSF_SPACE_ALL, at[2], 1u << 20, csf_section_read(image, 1u << 20, read_code,
									NULL), 0);
}

static uint64_t clock_of(const void *context, uint64_t timestamp)
{
	return plugin_time(context, timestamp);
}

static struct cs_samples_options choose(const uint8_t *byte, const struct plugin *plugin)
{
	return (struct cs_samples_options){
		.branches = byte[0] & 1, .calls = byte[0] & 2, .returns = byte[0] & 4,
		.insns = byte[0] & 8, .cycles = byte[0] & 16, .transactions = byte[0] & 32,
		.errors = byte[0] & 64, .ipc = byte[0] & 128,
		.approx_ipc = byte[1] & 1, .insn_bytes = byte[1] & 2, .moves = byte[1] & 4,
		.last_branch = byte[1] & 8, .compat = byte[1] & 16, .quick = byte[1] >> 5 & 3,
		.period_unit = byte[1] & 128 ? CS_PERIOD_TIME : CS_PERIOD_INSNS,
		.period = byte[2], .skip = byte[3] & 3,
		.clock = plugin_timed(plugin) ? clock_of : NULL, .clock_context = plugin,
	};
}

/**
 * struct load - a recording at work
 * @space: of threads of even and of odd numbers
 * @time: of each stream's last sample
 */
struct load {
	struct plugin *plugin;
	int space[2];
	struct cs_samples it;
	struct cs_sample_state state[STREAMS_MAX];
	uint64_t time[STREAMS_MAX];
	unsigned int n;
};

static void take_samples(struct load *load, const struct plugin_run *run)
{
	const struct cs_samples_input in = {
		.dec = run->dec, .run = run->run, .tid = run->tid, .starts = run->starts,
	};
	uint32_t i = run->stream % STREAMS_MAX;
	struct cs_sample sample;
	char text[64];

	if (cs_samples_run(&load->it, &load->state[i], &in))
		return;
	while (cs_samples_next(&load->it, &sample) && load->n++ < SAMPLES_MAX) {
		check(sample.wanted || sample.moves);
		check(sample.insn_len <= 4);
		check(sample.time >= load->time[i] || run->stream >= STREAMS_MAX);
		load->time[i] = sample.time;
		if (sample.kind == CS_SAMPLE_ERROR)
			cs_sample_error_text(&sample, text, sizeof(text));
	}
}

static void see_pieces(struct plugin *plugin)
{
	struct plugin_piece piece;
	struct csf_config config;
	unsigned int sum = 0;

	for (size_t i = 0; plugin_piece(plugin, 0, UINT64_MAX, i, &piece); i++) {
		for (uint64_t k = 0; k < piece.size; k += 64)
			sum += ((const uint8_t *)piece.bytes)[k];
		plugin_config(plugin, &piece, piece.raw ? 0 : sum & 0x7f, &config);
	}
}

static void run_all(struct load *load, const uint8_t *byte)
{
	struct cs_samples_options options = choose(byte, load->plugin);
	struct plugin_run run;
	uint64_t until = 0;

	map_code(plugin_image(load->plugin), load->space);
	cs_samples_init(&load->it, &options, plugin_image(load->plugin));
	for (int i = 0; i < 4; i++) {
		until = i == 3 ? UINT64_MAX : until * 2 + (uint64_t)byte[4] * 1000;
		while (load->n < SAMPLES_MAX && plugin_next(load->plugin, until, &run) > 0)
			take_samples(load, &run);
	}
	cs_samples_fini(&load->it);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct load load;
	const struct plugin_host host = { .context = load.space, .space = space_of };
	struct plugin_options options = { .marks = CS_SAMPLES_MARKS };
	char path[64];
	bool damage;
	int fd;

	if (n < N_OPTIONS)
		return 0;
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	check(fd >= 0 && write(fd, bytes + N_OPTIONS, n - N_OPTIONS) == (ssize_t)(n - N_OPTIONS));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	options.timeless = bytes[5] & 1;
	options.trust = bytes[5] & 2;
	load = (struct load){ 0 };
	if (!plugin_open(&load.plugin, path, &options, &host)) {
		run_all(&load, bytes);
		see_pieces(load.plugin);
		for (size_t i = 0; plugin_problem(load.plugin, i, &damage); i++)
			check(i < 64);
		plugin_close(load.plugin);
	}
	close(fd);
	return 0;
}
