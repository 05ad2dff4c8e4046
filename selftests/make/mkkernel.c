// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkkernel FILE < LINES: a recording of one CPU, whose trace exists already, and of other events
 * that a test needs in it.
 *
 * Lines, each of words with a blank between them; numbers are decimal, or begin with 0x; times are
 * perf's clock, which is also that of the trace:
 *
 * unit WORDS: the trace unit, as csflow encode has it; the first line
 * comm TIME PID NAME
 * mmap TIME MODE PID ADDR LEN PGOFF NAME [BUILD-ID]: MODE: kernel, user, guest-kernel, guest-user
 * build-id MODE PID NAME BUILD-ID: perf makes a guest of a PID known by this
 * ksymbol TIME ADDR LEN TYPE GONE NAME: TYPE 1: a BPF program, 2: anything else out of line
 * poke TIME ADDR OLD NEW: bytes, hexadecimal; OLD - : there was no code
 * trace TIME FILE: frames, emptied at that time
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "../../perf-plugin/perf-abi.h"
#include "../../perf-plugin/perf-write.h"
#include "../../tools/encoder/encoder.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define ID		0x10
#define WORDS_MAX	16
#define BYTES_MAX	4096
#define TRACE_MAX	(1 << 20)

static void die(const char *what)
{
	fprintf(stderr, "mkkernel: %s: %s\n", what, errno ? strerror(errno) : "what is that?");
	exit(1);
}

static uint64_t number(const char *word)
{
	char *end;
	uint64_t v;

	if (!word)
		die("a word is missing");
	v = strtoull(word, &end, 0);
	if (*end || end == word)
		die(word);
	return v;
}

/* Hexadecimal digits to bytes.  Return: how many. */
static size_t unhex(const char *word, uint8_t *to)
{
	size_t n = 0;

	if (!word)
		die("a word is missing");
	for (; strcmp(word, "-") && word[2 * n]; n++)
		if (n == BYTES_MAX || sscanf(word + 2 * n, "%2hhx", to + n) != 1)
			die(word);
	return n;
}

/* ---------------------------------------------------------------- records */

static void put_comm(struct perf_writer *writer, char *const *word)
{
	const uint32_t pid = number(word[2]);
	const struct perf_write_who who = { .time = number(word[1]), .pid = pid, .tid = pid };

	perf_write_comm(writer, &who, word[3], true);
}

static uint16_t mode(const char *word)
{
	static const struct {
		const char *name;
		uint16_t misc;
	} modes[] = {
		{ "kernel", PERF_RECORD_MISC_KERNEL }, { "user", PERF_RECORD_MISC_USER },
		{ "guest-kernel", PERF_RECORD_MISC_GUEST_KERNEL },
		{ "guest-user", PERF_RECORD_MISC_GUEST_USER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strcmp(modes[i].name, word))
			return modes[i].misc;
	die(word);
	return 0;
}

/* MMAP2 with a build-id, or without inode */
static void put_mmap(struct perf_writer *writer, char *const *word)
{
	const uint32_t pid = number(word[3]), tid = pid;
	const struct perf_write_who who = { .time = number(word[1]), .pid = pid, .tid = tid };
	uint8_t id[24] = { 20 };
	const bool has_id = word[8] && unhex(word[8], id + 4) == 20;
	const struct perf_write_field field[] = {
		{ 4, pid }, { 4, tid }, { 8, number(word[4]) }, { 8, number(word[5]) },
		{ 8, number(word[6]) }, { 8, perf_le(id, has_id ? 8 : 0) },
		{ 8, perf_le(id + 8, has_id ? 8 : 0) }, { 8, perf_le(id + 16, has_id ? 8 : 0) },
		{ 4, 5 }, { 4, 2 }, { 0 }
	};
	const struct perf_write_record record = {
		.type = PERF_RECORD_MMAP2, .field = field, .text = word[7],
		.misc = mode(word[2]) | (has_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0),
	};

	perf_write_record(writer, &who, &record);
}

static void put_build_id(struct perf_writer *writer, char *const *word)
{
	const struct perf_write_who who = { 0 };
	uint8_t id[24] = { 0 };
	const struct perf_write_field field[] = { { 4, number(word[2]) }, { 0 } };
	struct perf_write_record record = {
		.type = PERF_RECORD_HEADER_BUILD_ID, .misc = mode(word[1]), .field = field,
		.bytes = id, .n_bytes = sizeof(id), .text = word[3],
	};

	if (unhex(word[4], id) != 20)
		die(word[4]);
	perf_write_record(writer, &who, &record);
}

static void put_ksymbol(struct perf_writer *writer, char *const *word)
{
	const struct perf_write_who who = { .time = number(word[1]) };
	const struct perf_write_field field[] = {
		{ 8, number(word[2]) }, { 4, number(word[3]) }, { 2, number(word[4]) },
		{ 2, number(word[5]) }, { 0 }
	};
	const struct perf_write_record record = { .type = PERF_RECORD_KSYMBOL, .field = field,
						  .misc = PERF_RECORD_MISC_KERNEL,
						  .text = word[6] };

	perf_write_record(writer, &who, &record);
}

static void put_poke(struct perf_writer *writer, char *const *word)
{
	const struct perf_write_who who = { .time = number(word[1]) };
	uint8_t bytes[2 * BYTES_MAX];
	const size_t n_old = unhex(word[3], bytes), n_new = unhex(word[4], bytes + n_old);
	const struct perf_write_field field[] = {
		{ 8, number(word[2]) }, { 2, n_old }, { 2, n_new }, { 0 }
	};
	const struct perf_write_record record = {
		.type = PERF_RECORD_TEXT_POKE, .misc = PERF_RECORD_MISC_KERNEL, .field = field,
		.bytes = bytes, .n_bytes = n_old + n_new,
	};

	perf_write_record(writer, &who, &record);
}

static void put_trace(struct perf_writer *writer, char *const *word)
{
	const struct perf_write_who who = { .time = number(word[1]), .pid = UINT32_MAX,
					    .tid = UINT32_MAX };
	uint8_t *bytes = malloc(TRACE_MAX);
	FILE *f = fopen(word[2], "r");
	const size_t n = f && bytes ? fread(bytes, 1, TRACE_MAX, f) : 0;
	const struct perf_aux_record aux = { .size = n };
	const struct perf_auxtrace auxtrace = { .size = n, .tid = PERF_NO_TID, .reference = 1 };

	if (!n)
		die(word[2]);
	perf_write_aux(writer, &who, &aux);
	perf_write_auxtrace(writer, &auxtrace, bytes);
	fclose(f);
	free(bytes);
}

/* ---------------------------------------------------------------- lines */

static const struct {
	const char *name;
	void (*put)(struct perf_writer *writer, char *const *word);
	size_t words;
} lines[] = {
	{ "comm", put_comm, 4 }, { "mmap", put_mmap, 8 }, { "build-id", put_build_id, 5 },
	{ "ksymbol", put_ksymbol, 7 }, { "poke", put_poke, 5 }, { "trace", put_trace, 3 },
};

/* A line into words.  Return: how many; 0: no more lines. */
static size_t split(char *line, size_t size, char **word)
{
	size_t n = 0;

	memset(word, 0, (WORDS_MAX + 1) * sizeof(*word));
	if (!fgets(line, size, stdin))
		return 0;
	for (char *p = strtok(line, " \n"); p && n < WORDS_MAX; p = strtok(NULL, " \n"))
		word[n++] = p;
	return n;
}

static void put_line(struct perf_writer *writer, char *const *word, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (strcmp(lines[i].name, word[0]))
			continue;
		if (n < lines[i].words)
			die(word[0]);
		lines[i].put(writer, word);
		return;
	}
	die(word[0]);
}

static void read_unit(const char *words, struct perf_cs_cpu *cpu)
{
	char problem[ENC_PROBLEM_MAX];
	struct enc_setup setup;

	if (enc_setup_parse(&setup, words, problem))
		die(problem);
	cpu->config = setup.config;
	cpu->id = ID;
	cpu->authstatus = 0xcc;
	cpu->protocol = csf_config_protocol(&setup.config) == CSF_PROTOCOL_ETE ? CSF_PROTOCOL_ETE :
										 CSF_PROTOCOL_ETM4;
	cpu->time = setup.time_period ? PERF_CS_TIME_VIRTUAL : PERF_CS_TIME_UNKNOWN;
}

int main(int argc, char **argv)
{
	static char line[3 * BYTES_MAX];
	struct perf_cs_cpu cpu = { 0 };
	struct perf_write_setup setup = {
		.version = 2, .cpu = &cpu, .n_cpu = 1, .release = "6.1.0",
		.time_conv = { .mult = 1, .mask = UINT64_MAX },
	};
	char *word[WORDS_MAX + 1];
	struct perf_writer *writer;
	size_t n;
	int fd;

	if (argc != 2 || split(line, sizeof(line), word) != 2 || strcmp(word[0], "unit")) {
		fprintf(stderr, "mkkernel FILE < LINES, of which the first is: unit WORDS\n");
		return 2;
	}
	read_unit(word[1], &cpu);
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || perf_write_new(&writer, fd, &setup))
		die(argv[1]);
	while ((n = split(line, sizeof(line), word)))
		put_line(writer, word, n);
	perf_write_round(writer);
	errno = -perf_write_finish(writer);
	if (errno)
		die(argv[1]);
	return close(fd);
}
