// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "tarmac-read.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define BUFFER	(4 * TARMAC_LINE_MAX)

/* How many wrong lines with the same first word are reported one by one. */
#define TOLD	3

int tarmac_open(struct tarmac_reader *t)
{
	t->fd = STDIN_FILENO;
	if (!t->spool && strcmp(t->path, "-"))
		t->fd = open(t->path, O_RDONLY | O_CLOEXEC);
	if (t->fd < 0)
		return -errno;
	t->buf = malloc(BUFFER);
	return t->buf ? 0 : -ENOMEM;
}

void tarmac_close(struct tarmac_reader *t)
{
	if (t->fd > STDIN_FILENO)
		close(t->fd);
	t->fd = -1;
	free(t->buf);
	t->buf = NULL;
	tarmac_parser_free(&t->parser);
	problems_free(&t->problems);
}

static int fill(struct tarmac_reader *t)
{
	ssize_t n;

	memmove(t->buf, t->buf + t->pos, t->n - t->pos);
	t->base += t->pos;
	t->n -= t->pos;
	t->pos = 0;
	if (t->spool) {
		n = spool_read(t->spool, t->buf + t->n, BUFFER - t->n);
		errno = n < 0 ? -n : 0;
	} else {
		do
			n = read(t->fd, t->buf + t->n, BUFFER - t->n);
		while (n < 0 && errno == EINTR);
	}
	if (n < 0)
		return -errno;
	t->n += n;
	t->at_end = !n;
	return 0;
}

/* Reads up to the next line end.  Return: 1; 0: the end; a negative errno. */
static int take(struct tarmac_reader *t)
{
	const char *end;
	size_t n;
	int err;

	for (;;) {
		end = memchr(t->buf + t->pos, '\n', t->n - t->pos);
		n = end ? (size_t)(end - (t->buf + t->pos)) : t->n - t->pos;
		if (end || n >= TARMAC_LINE_MAX || t->at_end)
			break;
		err = fill(t);
		if (err)
			return err;
	}
	if (!end && !n)
		return 0;
	if (n > TARMAC_LINE_MAX) {
		n = TARMAC_LINE_MAX;
		end = NULL;
	}
	t->raw.p = t->buf + t->pos;
	t->raw.n = n;
	t->offset = t->base + t->pos;
	t->pos += n + !!end;
	return end ? 1 : 2;
}

static unsigned int line_number(const struct tarmac_reader *t)
{
	return t->line <= UINT_MAX ? t->line : 0;
}

/* Reads a line; bytes after the longest allowed line are left out. */
static int next_line(struct tarmac_reader *t)
{
	int ret;

	while ((ret = take(t)) > 0) {
		bool cut = ret == 2 && t->raw.n == TARMAC_LINE_MAX, was = t->cutting;

		t->cutting = cut;
		if (was)
			continue;
		t->line++;
		t->n_wrong += cut;
		if (cut)
			problems_warn(&t->problems, t->path, line_number(t),
				      "longer than %u bytes: the rest is left out",
				      TARMAC_LINE_MAX);
		return 1;
	}
	return ret;
}

static void complain(struct tarmac_reader *t, const struct tarmac_record *r)
{
	char word[sizeof(t->repeat[0].word)];
	size_t n = r->word.n < sizeof(word) ? r->word.n : sizeof(word) - 1, i;

	memcpy(word, r->word.p, n);
	word[n] = '\0';
	t->n_wrong++;
	for (i = 0; i < ARRAY_SIZE(t->repeat) - 1 && t->repeat[i].n; i++)
		if (!strcmp(word, t->repeat[i].word))
			break;
	if (!t->repeat[i].n)
		strcpy(t->repeat[i].word, word);
	if (t->repeat[i].n++ < TOLD)
		problems_warn_at(&t->problems, t->path, line_number(t), r->at - t->raw.p + 1,
				 "%s%s%s; %s", word, n ? ": " : "", r->wrong,
				 r->binary ? "left out" : "taken for text");
}

static void tell_more(struct tarmac_reader *t, size_t i)
{
	const uint64_t n = t->repeat[i].n - TOLD;

	if (i == ARRAY_SIZE(t->repeat) - 1)
		problems_warn(&t->problems, t->path, 0,
			      "%" PRIu64 " more that begin with %s or others, and are taken for text",
			      n, t->repeat[i].word);
	else if (*t->repeat[i].word)
		problems_warn(&t->problems, t->path, 0,
			      "%" PRIu64 " more that begin with %s, and are taken for text", n,
			      t->repeat[i].word);
	else
		problems_warn(&t->problems, t->path, 0,
			      "%" PRIu64 " more lines that are no text, and are left out", n);
}

/* Reports once how many more there were. */
static void sum_up(struct tarmac_reader *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(t->repeat); i++) {
		if (t->repeat[i].n > TOLD)
			tell_more(t, i);
		t->repeat[i].n = 0;
	}
	if (t->n_text)
		problems_note(&t->problems, t->path, t->text_line <= UINT_MAX ? t->text_line : 0,
			      "the first of %" PRIu64 " lines that are no record, and are kept as text",
			      t->n_text);
	t->n_text = 0;
}

/* Counts what was read. */
static void judge(struct tarmac_reader *t, const struct tarmac_record *r)
{
	if (r->wrong)
		complain(t, r);
	else if (r->kind == TARMAC_TEXT && !t->n_text++)
		t->text_line = t->line;
	t->n_record += r->kind != TARMAC_TEXT && r->kind != TARMAC_HEADER;
}

/* Another record of the line, or the next line.  Return: as next_line(). */
static int next_piece(struct tarmac_reader *t, struct tarmac_text *piece)
{
	int ret = 1;

	*piece = t->parser.more;
	if (!piece->n) {
		ret = next_line(t);
		*piece = t->raw;
	}
	return ret;
}

int tarmac_next(struct tarmac_reader *t, struct tarmac_record *r)
{
	const bool *crowded = &t->parser.crowded;
	struct tarmac_text piece;
	int ret;

	while ((ret = next_piece(t, &piece)) > 0) {
		const bool before = *crowded;

		ret = tarmac_parse(&t->parser, piece.p, piece.n, r);
		if (*crowded && !before)
			problems_warn(&t->problems, t->path, line_number(t), "more than %u processors: from here on others are taken for %s",
				      TARMAC_CPU_MAX, t->parser.cpu[TARMAC_CPU_MAX - 1]);
		if (!ret)
			continue;
		if (ret > 0)
			judge(t, r);
		return ret;
	}
	sum_up(t);
	return ret;
}
