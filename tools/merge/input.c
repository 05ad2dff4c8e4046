// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../perf-plugin/leb128.h"
#include "../../perf-plugin/perf-file.h"
#include "../count/count-file.h"
#include "../lib/spool.h"
#include "../profile/autofdo.h"
#include "../quick/quick-count.h"
#include "../quick/quick-file.h"
#include "input.h"

/* An input of so many bytes is read; a longer one is mapped, which takes longer for a small one. */
#define SMALL	(1u << 20)

int input_reader_init(struct input_reader *r, struct sums *sums,
		      const struct input_options *options, pthread_mutex_t *code)
{
	*r = (struct input_reader){ .options = options, .sums = sums, .code = code };
	lists_init(&r->lists, sums, &options->dso, code);
	r->bytes = malloc(SMALL);
	return r->bytes ? 0 : -ENOMEM;
}

void input_reader_fini(struct input_reader *r)
{
	lists_fini(&r->lists);
	count_input_fini(&r->counts);
	free(r->bytes);
}

/* ---------------------------------------------------------------- reasons */

static int left_out(struct input_problem *problem, enum log_code code, const char *why)
{
	problem->code = code;
	snprintf(problem->why, sizeof(problem->why), "%s", why);
	return -EBADMSG;
}

static int damaged(struct input_problem *problem, uint64_t offset, const char *why)
{
	if (offset != PERF_PROBLEM_NOWHERE)
		snprintf(problem->place, sizeof(problem->place), "offset 0x%" PRIx64 ": ", offset);
	return left_out(problem, LOG_DAMAGE, why);
}

/* ---------------------------------------------------------------- formats */

/**
 * struct contents - an input
 * @bytes: @n of them
 * @times: its weight; @ran: blocks that were executed
 */
struct contents {
	const uint8_t *bytes;
	size_t n;
	uint64_t times, ran;
	struct input_problem *problem;
};

static struct weight weigh(const struct input_reader *r, const struct contents *c)
{
	if (!r->options->equal || !c->ran)
		return (struct weight){ c->times, 1, 1 };
	return (struct weight){ c->times, WEIGHT_EQUAL, c->ran };
}

static int read_counts(struct input_reader *r, struct contents *c)
{
	struct packed_problem problem = { NULL, 0 };
	int err = count_input_check(&r->counts, c->bytes, c->n, &c->ran, &problem);
	struct weight weight;

	if (err == -EBADMSG)
		return damaged(c->problem, problem.offset, problem.why);
	if (err)
		return err;
	weight = weigh(r, c);
	return count_input_add(&r->counts, c->bytes, c->n, r->sums, &weight);
}

/* @offset: of the list in the file */
static int read_list(struct input_reader *r, struct contents *c, uint64_t offset)
{
	const struct branch_list list = { c->bytes + offset, c->n };
	struct branch_list_problem problem;
	int err = lists_check(&r->lists, &list, &c->ran, &problem);
	struct weight weight;

	if (err == -EBADMSG)
		return damaged(c->problem, offset + problem.offset, problem.why);
	if (err)
		return err;
	weight = weigh(r, c);
	return lists_add(&r->lists, &list, &weight);
}

/* A recording may have a list in the place of trace. */
static int read_recording(struct input_reader *r, struct contents *c)
{
	struct perf_section section;
	struct perf_file *file;
	int err = perf_file_open_memory(&file, c->bytes, c->n);

	if (err)
		return err;
	section = perf_file_feature(file, PERF_FEATURE_ETM_BRANCH_LIST);
	if (file->problems.damage) {
		const struct perf_problem *p = file->problems.list;

		while (p->severity != PERF_DAMAGE && p + 1 < file->problems.list + file->problems.n)
			p++;
		err = damaged(c->problem, p->offset, p->text);
	} else if (!perf_file_has_list(file)) {
		err = left_out(c->problem, LOG_UNREAD,
			       "a recording with trace: csflow profile --for=counts makes counts of it");
	} else if (file->foreign) {
		err = left_out(c->problem, LOG_UNREAD, "a recording of the other byte order");
	} else {
		c->n = section.size;
		err = read_list(r, c, section.offset);
	}
	perf_file_close(file);
	return err;
}

/* Adds all of a table that was made of an input; @err: of making it. */
static int add_table(struct input_reader *r, struct contents *c, struct count_table *table, int err)
{
	struct weight weight;

	if (!err)
		err = count_table_settle(table);
	for (size_t i = 0; i < table->n; i++)
		for (size_t k = 0; k < table->dso[i].n_block; k++)
			c->ran = count_sum(c->ran, count_ran(&table->dso[i].block[k]));
	weight = weigh(r, c);
	if (!err)
		err = sums_table(r->sums, table, &weight);
	count_table_fini(table);
	return err;
}

static int read_quick(struct input_reader *r, struct contents *c)
{
	struct quick quick = { .max = QUICK_MAX };
	struct packed_problem problem;
	struct count_table table = { 0 };
	int err = quick_file_read(&quick, c->bytes, c->n, &problem);

	if (err == -EBADMSG) {
		damaged(c->problem, problem.offset, problem.why);
	} else if (!err) {
		pthread_mutex_lock(r->code);
		err = quick_count_table(&quick, &table, &r->options->dso);
		pthread_mutex_unlock(r->code);
	}
	quick_fini(&quick);
	if (err == -EOVERFLOW)
		err = left_out(c->problem, LOG_FILE, "its counts are too large to be added up");
	return add_table(r, c, &table, err);
}

static int read_autofdo(struct input_reader *r, struct contents *c)
{
	struct autofdo_problem problem;
	struct count_table table = { 0 };
	int err;

	pthread_mutex_lock(r->code);
	err = autofdo_read(&table, c->bytes, c->n, &r->options->dso, r->options->addresses,
			   &problem);
	pthread_mutex_unlock(r->code);
	if (!err && problem.n_odd) {
		problem.line = problem.odd;
		problem.why = "neither a text nor a comment";
		err = -EBADMSG;
	}
	if (err == -EBADMSG) {
		char *place = c->problem->place;

		if (problem.line)
			snprintf(place, sizeof(c->problem->place), "%zu: ", problem.line);
		left_out(c->problem, problem.line ? LOG_SYNTAX : LOG_FILE, problem.why);
	}
	return add_table(r, c, &table, err);
}

/* "main:184019:1797", the first line of a profile of LLVM */
static bool is_llvm(const uint8_t *bytes, size_t n)
{
	const uint8_t *end = memchr(bytes, '\n', n < 4096 ? n : 4096);
	size_t colons = 0;

	for (const uint8_t *p = bytes; end && p < end; p++) {
		if (*p < ' ' || *p > '~')
			return false;
		colons += *p == ':';
	}
	return end && colons >= 2 && end > bytes && end[-1] >= '0' && end[-1] <= '9';
}

/* "SPROF42", from its highest byte on, and the form: one number, packed */
static bool is_llvm_binary(const uint8_t *bytes, size_t n)
{
	uint64_t magic;

	return leb128_get(&bytes, bytes + n, &magic) == LEB128_GOOD &&
	       magic >> 8 == 0x5350524f463432;
}

/* What has counts, but not of instructions, or none that can be added up. */
static int refuse(struct contents *c)
{
	const uint8_t *p = c->bytes;
	const size_t n = c->n;

	if (!n)
		return damaged(c->problem, 0, "it is empty");
	if (n >= 4 && !memcmp(p, "adcg", 4))
		return left_out(c->problem, LOG_UNREAD,
				"counts of source lines, not of instructions: profile_merger adds them up");
	if (is_llvm(p, n) || is_llvm_binary(p, n))
		return left_out(c->problem, LOG_UNREAD,
				"counts of source lines, not of instructions: llvm-profdata merge --sample adds them up");
	return damaged(c->problem, 0, "no count table, atom runs, branch list or AutoFDO text");
}

static int read_any(struct input_reader *r, struct contents *c)
{
	if (count_file_is(c->bytes, c->n) ||
	    (c->n >= 8 && c->n < PACKED_HEAD && !memcmp(c->bytes, COUNT_MAGIC, 8)))
		return read_counts(r, c);
	if (branch_stream_is(c->bytes, c->n))
		return read_list(r, c, 0);
	if (quick_file_is(c->bytes, c->n))
		return read_quick(r, c);
	if (c->n >= 8 && (!memcmp(c->bytes, "PERFILE2", 8) || !memcmp(c->bytes, "2ELIFREP", 8)))
		return read_recording(r, c);
	if (autofdo_is(c->bytes, c->n))
		return read_autofdo(r, c);
	return refuse(c);
}

/* ---------------------------------------------------------------- files */

/* Reads a small file.  Return: its size; SMALL: it is not small; -errno. */
static ssize_t read_small(struct input_reader *r, const char *path)
{
	struct stat st;
	ssize_t n = 0, got = 1;
	int fd;

	/* a pipe that nobody writes would not be opened */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		n = SMALL;
	while (n < SMALL && got > 0) {
		got = read(fd, r->bytes + n, SMALL - n);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got < 0)
			n = -errno;
		else
			n += got;
	}
	close(fd);
	return n;
}

static int read_mapped(struct input_reader *r, const char *path, struct contents *c)
{
	struct spool spool = { .n_head = 0 };
	struct file file = { .n = 0 };
	int err = spool_map(&spool, &file, path);

	if (err) {
		err = left_out(c->problem, LOG_FILE, file_words(path, err));
	} else {
		c->bytes = file.data;
		c->n = file.n;
		err = read_any(r, c);
	}
	file_unmap(&file);
	spool_end(&spool);
	return err;
}

int input_read(struct input_reader *r, const char *path, uint64_t times,
	       struct input_problem *problem)
{
	struct contents c = { .bytes = r->bytes, .times = times, .problem = problem };
	ssize_t n = strcmp(path, "-") ? read_small(r, path) : SMALL;

	*problem = (struct input_problem){ .code = LOG_FILE };
	if (n < 0)
		return left_out(problem, LOG_FILE, file_words(path, n));
	if (n == SMALL)
		return read_mapped(r, path, &c);
	c.n = n;
	return read_any(r, &c);
}
