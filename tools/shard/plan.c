// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/csflow.h"
#include "../../perf-plugin/array.h"
#include "../lib/file.h"
#include "../lib/fnv.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "plan.h"

const char *const plan_word_names[PLAN_WORDS] = { "binary", "symfs", "vmlinux", "buildid-dir" };

#define HASH_WORD	"hash "
#define HASH_LINE	22	/* "hash ", 16 digits, line end */

int plan_add_option(struct plan *plan, enum plan_word word, const char *path)
{
	char *copy = strdup(path);

	if (!copy || !array_room(&plan->option, plan->n_option, &plan->size_option,
				 sizeof(*plan->option))) {
		free(copy);
		return -ENOMEM;
	}
	plan->option[plan->n_option++] = (struct plan_option){ word, copy };
	return 0;
}

int plan_add_input(struct plan *plan, const struct plan_input *input)
{
	char *copy = strdup(input->path);

	if (!copy || !array_room(&plan->input, plan->n_input, &plan->size_input,
				 sizeof(*plan->input))) {
		free(copy);
		return -ENOMEM;
	}
	plan->input[plan->n_input] = *input;
	plan->input[plan->n_input++].path = copy;
	return 0;
}

int plan_add_piece(struct plan *plan, const struct plan_piece *piece)
{
	if (!array_room(&plan->piece, plan->n_piece, &plan->size_piece, sizeof(*piece)))
		return -ENOMEM;
	plan->piece[plan->n_piece++] = *piece;
	return 0;
}

void plan_fini(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_option; i++)
		free(plan->option[i].path);
	for (size_t i = 0; i < plan->n_input; i++)
		free(plan->input[i].path);
	free(plan->version);
	free(plan->option);
	free(plan->input);
	free(plan->piece);
	free(plan->part);
	*plan = (struct plan){ 0 };
}

/* ---------------------------------------------------------------- writing */

/* Blanks, control characters and % as %XX, so that a name is one word. */
static void put_path(FILE *f, const char *path)
{
	for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
		if (*c <= ' ' || *c == '%' || *c == 0x7f)
			fprintf(f, "%%%02x", *c);
		else
			fputc(*c, f);
	}
	fputc('\n', f);
}

static void put_body(const struct plan *plan, FILE *f)
{
	fprintf(f, "version %s\n", plan->version);
	for (int w = 0; w < PLAN_WORDS; w++)
		for (size_t i = 0; i < plan->n_option; i++)
			if ((int)plan->option[i].word == w) {
				fprintf(f, "%s ", plan_word_names[w]);
				put_path(f, plan->option[i].path);
			}
	for (size_t i = 0; i < plan->n_input; i++) {
		const struct plan_input *in = &plan->input[i];

		fprintf(f, "input %" PRIu64 " %016" PRIx64 " ", in->size, in->hash);
		put_path(f, in->path);
	}
	for (size_t k = 0; k < plan->n_part; k++) {
		const struct plan_part *part = &plan->part[k];

		fprintf(f, "part\n");
		for (size_t i = part->first; i < part->first + part->n; i++) {
			const struct plan_piece *p = &plan->piece[i];

			fprintf(f, "piece %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
				p->input + 1, p->from, p->until, p->bytes);
		}
	}
}

/* Return: all of the plan, which the caller frees; NULL: no memory. */
static char *text_of(struct plan *plan, size_t *n)
{
	char *body = NULL, *text = NULL;
	size_t n_body = 0;
	FILE *f = open_memstream(&body, &n_body);

	if (!f)
		return NULL;
	put_body(plan, f);
	if (fclose(f)) {
		free(body);
		return NULL;
	}
	plan->hash = fnv_hash(FNV_START, body, n_body);
	f = open_memstream(&text, n);
	if (f) {
		fprintf(f, PLAN_MAGIC HASH_WORD "%016" PRIx64 "\n", plan->hash);
		fwrite(body, 1, n_body, f);
		if (fclose(f)) {
			free(text);
			text = NULL;
		}
	}
	free(body);
	return text;
}

int plan_write(struct plan *plan, FILE *f)
{
	size_t n = 0;
	char *text = text_of(plan, &n);
	int err;

	if (!text)
		return -ENOMEM;
	errno = 0;
	err = fwrite(text, 1, n, f) == n ? 0 : errno ? -errno : -EIO;
	free(text);
	return err;
}

/* ---------------------------------------------------------------- reading */

/**
 * struct reader - the text of a plan
 * @p: the rest of it, up to @end
 * @line: number of the current line, whose words end at @stop
 */
struct reader {
	struct plan *plan;
	const char *p, *end, *stop;
	size_t line;
	const char *why;
};

/* Takes the next word of the line, and the blank after it.  NULL: there is none. */
static const char *word(struct reader *r, size_t *n)
{
	const char *begin = r->p;
	const char *blank = r->p < r->stop ? memchr(r->p, ' ', r->stop - r->p) : NULL;

	*n = (blank ? blank : r->stop) - begin;
	r->p = blank ? blank + 1 : r->stop;
	return *n ? begin : NULL;
}

static bool digits(struct reader *r, int base, uint64_t *v)
{
	const uint64_t max = UINT64_MAX / base;
	size_t n;
	const char *w = word(r, &n);

	*v = 0;
	for (size_t i = 0; w && i < n; i++) {
		const char *all = "0123456789abcdef", *at = memchr(all, w[i], base);

		if (!at || *v > max || *v * base > UINT64_MAX - (at - all))
			return false;
		*v = *v * base + (at - all);
	}
	return w;
}

/* The last word of a line.  NULL: it is no path, or there is no memory, and @err. */
static char *path(struct reader *r, int *err)
{
	size_t n, at = 0;
	const char *w = word(r, &n);
	char *text = w ? malloc(n + 1) : NULL;

	*err = w && !text ? -ENOMEM : 0;
	for (size_t i = 0; text && i < n; i++) {
		unsigned int byte = (unsigned char)w[i];

		if (byte == '%') {
			const bool whole = i + 2 < n;
			const char hex[3] = { whole ? w[i + 1] : 'x', whole ? w[i + 2] : 'x' };
			char *end;

			byte = strtoul(hex, &end, 16);
			i += 2;
			if (*end)
				byte = 0;
		}
		text[at++] = byte;
	}
	if (text)
		text[at] = 0;
	if (text && *text == '/' && strlen(text) == at)
		return text;
	free(text);
	return NULL;
}

static int wrong(struct reader *r, const char *why)
{
	r->why = why;
	return -EBADMSG;
}

static int take_version(struct reader *r)
{
	size_t n;
	const char *w = word(r, &n);

	if (!w || r->plan->version)
		return wrong(r, "the version of csflow is missing, or there twice");
	r->plan->version = strndup(w, n);
	return r->plan->version ? 0 : -ENOMEM;
}

static int take_option(struct reader *r, enum plan_word what)
{
	int err;
	char *name = path(r, &err);

	if (!name)
		return err ? err : wrong(r, "not an absolute path");
	err = plan_add_option(r->plan, what, name);
	free(name);
	return err;
}

static int take_input(struct reader *r)
{
	struct plan_input in;
	int err;

	if (!digits(r, 10, &in.size) || !digits(r, 16, &in.hash))
		return wrong(r, "want: input SIZE HASH PATH");
	in.path = path(r, &err);
	if (!in.path)
		return err ? err : wrong(r, "not an absolute path");
	err = r->plan->n_input < UINT32_MAX ? plan_add_input(r->plan, &in) :
					      wrong(r, "too many inputs");
	free(in.path);
	return err;
}

static int take_part(struct reader *r)
{
	struct plan *plan = r->plan;

	if (plan->n_part == PLAN_PARTS_MAX)
		return wrong(r, "too many parts");
	if (plan->n_part && !plan->part[plan->n_part - 1].n)
		return wrong(r, "the part before has nothing in it");
	if (!array_room(&plan->part, plan->n_part, &plan->size_part, sizeof(*plan->part)))
		return -ENOMEM;
	plan->part[plan->n_part++] = (struct plan_part){ .first = plan->n_piece };
	return 0;
}

static int take_piece(struct reader *r)
{
	struct plan *plan = r->plan;
	struct plan_part *part = plan->n_part ? &plan->part[plan->n_part - 1] : NULL;
	struct plan_piece p;
	uint64_t input;

	if (!part)
		return wrong(r, "a piece before the first part");
	if (!digits(r, 10, &input) || !digits(r, 10, &p.from) || !digits(r, 10, &p.until) ||
	    !digits(r, 10, &p.bytes))
		return wrong(r, "want: piece INPUT FROM UNTIL BYTES");
	if (!input || input > plan->n_input)
		return wrong(r, "there is no such input");
	p.input = input - 1;
	if (p.from > p.until)
		return wrong(r, "it ends before it begins");
	if (p.bytes > plan->input[p.input].size)
		return wrong(r, "it is larger than its input");
	part->n++;
	part->bytes += p.bytes < UINT64_MAX - part->bytes ? p.bytes : UINT64_MAX - part->bytes;
	return plan_add_piece(plan, &p);
}

static bool is(const char *w, size_t n, const char *name)
{
	return strlen(name) == n && !memcmp(w, name, n);
}

static int take_line(struct reader *r)
{
	size_t n;
	const char *w = word(r, &n);

	for (int i = 0; w && i < PLAN_WORDS; i++)
		if (is(w, n, plan_word_names[i]))
			return take_option(r, i);
	if (w && is(w, n, "version"))
		return take_version(r);
	if (w && is(w, n, "input"))
		return take_input(r);
	if (w && is(w, n, "part"))
		return take_part(r);
	if (w && is(w, n, "piece"))
		return take_piece(r);
	return wrong(r, "an unknown line");
}

static int take_lines(struct reader *r)
{
	while (r->p < r->end) {
		const char *newline = memchr(r->p, '\n', r->end - r->p);
		int err;

		r->line++;
		if (!newline)
			return wrong(r, "the line has no end");
		r->stop = newline;
		err = take_line(r);
		if (err)
			return err;
		if (r->p != newline)
			return wrong(r, "there is more in the line");
		r->p = newline + 1;
	}
	return 0;
}

/* ---------------------------------------------------------------- whole plans */

static int by_time(const void *a, const void *b)
{
	const struct plan_piece *x = a, *y = b;

	if (x->input != y->input)
		return x->input < y->input ? -1 : 1;
	return x->from == y->from ? 0 : x->from < y->from ? -1 : 1;
}

/* Are the pieces of each input all of it, and nothing twice?  @sorted: all pieces. */
static const char *check_pieces(const struct plan *plan, const struct plan_piece *sorted)
{
	uint32_t input = 0;
	uint64_t next = 0;
	bool open = true;

	for (size_t i = 0; i < plan->n_piece; i++) {
		const struct plan_piece *p = &sorted[i];

		if (!open) {
			input++;
			next = 0;
		}
		if (p->input != input)
			return "an input is in no part, or not all of it, or twice";
		if (p->from != next)
			return "pieces of an input overlap, or leave a gap";
		open = p->until != UINT64_MAX;
		next = p->until + 1;
	}
	return open || input + 1 != plan->n_input ?
	       "an input is in no part, or not all of it, or twice" : NULL;
}

static int check(struct reader *r)
{
	const struct plan *plan = r->plan;
	struct plan_piece *sorted;

	r->line = 0;
	if (!plan->version || !plan->n_input || !plan->n_part || !plan->part[plan->n_part - 1].n)
		return wrong(r, "it has no version, no inputs or no parts");
	sorted = malloc(plan->n_piece * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, plan->piece, plan->n_piece * sizeof(*sorted));
	qsort(sorted, plan->n_piece, sizeof(*sorted), by_time);
	r->why = check_pieces(plan, sorted);
	free(sorted);
	return r->why ? -EBADMSG : 0;
}

/* Other forms of the same plan would have other hashes. */
static int check_form(struct reader *r, const char *bytes, size_t n)
{
	size_t own = 0;
	char *text = text_of(r->plan, &own);
	const bool same = text && own == n && !memcmp(text, bytes, n);

	if (!text)
		return -ENOMEM;
	free(text);
	return same ? 0 : wrong(r, "it is not written as csflow writes plans");
}

/* The head, which has the hash of all after it. */
static const char *check_head(const char *bytes, size_t n)
{
	const size_t magic = strlen(PLAN_MAGIC), head = magic + HASH_LINE;
	char hash[HASH_LINE + 1];

	if (n < strlen(PLAN_NAME) || memcmp(bytes, PLAN_NAME, strlen(PLAN_NAME)))
		return "it is no plan: csflow shard plan makes one";
	if (n < magic || memcmp(bytes, PLAN_MAGIC, magic))
		return "a plan in a format that this csflow does not know: make the plan again";
	if (n < head)
		return "it is incomplete";
	snprintf(hash, sizeof(hash), HASH_WORD "%016" PRIx64 "\n",
		 fnv_hash(FNV_START, bytes + head, n - head));
	return memcmp(bytes + magic, hash, HASH_LINE) ?
	       "its hash is wrong: it is damaged, incomplete or edited" : NULL;
}

int plan_parse(struct plan *plan, const char *bytes, size_t n, struct plan_problem *problem)
{
	const size_t head = strlen(PLAN_MAGIC) + HASH_LINE;
	struct reader r = { .plan = plan, .end = bytes + n, .line = 2 };
	int err;

	*problem = (struct plan_problem){ .why = check_head(bytes, n), .line = 1 };
	if (problem->why)
		return -EBADMSG;
	r.p = bytes + head;
	err = take_lines(&r);
	if (!err)
		err = check(&r);
	if (!err)
		err = check_form(&r, bytes, n);
	*problem = (struct plan_problem){ r.why, r.line };
	return err;
}

static int report(const char *path, int err, const struct plan_problem *problem)
{
	/* a file system may say so, too */
	if (err != -EBADMSG || !problem->why)
		log_say(LOG_FILE, "csflow: %s: %s\n", path, file_words(path, err));
	else if (problem->line)
		log_say(LOG_SYNTAX, "csflow: %s:%zu: %s\n", path, problem->line, problem->why);
	else
		log_say(LOG_SYNTAX, "csflow: %s: %s\n", path, problem->why);
	return CMD_FAILED;
}

int plan_read(struct plan *plan, const char *path)
{
	struct plan_problem problem = { 0 };
	struct file file;
	int err = file_map(&file, path);

	if (err)
		return report(path, err, &problem);
	err = plan_parse(plan, (const char *)file.data, file.n, &problem);
	file_unmap(&file);
	if (err)
		return report(path, err, &problem);
	if (!strcmp(plan->version, csf_version()))
		return CMD_OK;
	log_say(LOG_FILE, "csflow: %s: made by csflow %s, this is %s: counts might differ; make the plan again\n",
		path, plan->version, csf_version());
	return CMD_FAILED;
}
