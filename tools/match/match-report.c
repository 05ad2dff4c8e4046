// SPDX-License-Identifier: GPL-2.0-only
/* Differences for people, side by side or one below the other, and for programs, as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "match.h"

#define TEXT	512	/* the most characters of a record */
#define WIDTH	56	/* of column A, side by side */
#define LINES	40	/* the most lines of a place, without its context */

/**
 * struct match_report - zero at first
 * @kind, @why: of the current place
 * @shown: the place is or will be shown; @open: its head is printed
 * @lines: its lines so far; @hidden: lines that were too many
 * @any: one of its records differs
 */
struct match_report {
	enum match_kind kind;
	const char *why;
	bool shown, open, any;
	unsigned int lines;
	uint64_t hidden;
	char text[2][TEXT];
};

int match_report_new(struct match_report **report, struct match *m)
{
	*report = calloc(1, sizeof(**report));
	return *report ? 0 : -ENOMEM;
}

void match_report_free(struct match_report *report)
{
	free(report);
}

/* ---------------------------------------------------------------- a line */

/* Control characters of a trace must not reach a terminal. */
static void clean(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = *text == '\t' ? ' ' : '?';
}

static const char *text_of(struct match *m, int i, const struct source_item *item)
{
	char *text = m->report->text[i];
	size_t n = 0;

	if (!item)
		return "";
	if (item->line)
		n = snprintf(text, TEXT, "%" PRIu64 ": ", item->line);
	text[n + source_print(m->side[i].source, item, text + n, TEXT - n)] = '\0';
	clean(text);
	return text;
}

static void sides_line(struct match *m, char mark, const char *a, const char *b)
{
	fprintf(m->options->out, "  %-*.*s %c %.*s\n", WIDTH, WIDTH, a, mark, 2 * WIDTH, b);
}

static void unified_line(struct match *m, char mark, const char *a, const char *b)
{
	FILE *f = m->options->out;

	if (mark == ' ') {
		fprintf(f, " %s\n", a);
		return;
	}
	if (*a)
		fprintf(f, "-%s\n", a);
	if (*b)
		fprintf(f, "+%s\n", b);
}

static void line(struct match *m, char mark, const struct source_item *a,
		 const struct source_item *b)
{
	const char *x = text_of(m, 0, a), *y = text_of(m, 1, b);

	if (m->options->format == MATCH_SIDES)
		sides_line(m, mark, x, y);
	else
		unified_line(m, mark, x, y);
}

/* ---------------------------------------------------------------- JSON */

static void json_text(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', f);
		if ((unsigned char)*text < 0x80)
			fputc(*text, f);
		else
			fprintf(f, "\\u%04x", (unsigned char)*text);
	}
	fputc('"', f);
}

static void json_item(struct match *m, int i, const struct source_item *item)
{
	FILE *f = m->options->out;

	fprintf(f, ",\"%c\":", 'a' + i);
	if (!item) {
		fputs("null", f);
		return;
	}
	fprintf(f, "{\"kind\":\"%s\"", source_kind_name(item->kind));
	if (item->line)
		fprintf(f, ",\"line\":%" PRIu64, item->line);
	fprintf(f, ",\"offset\":%" PRIu64, item->offset);
	if (item->kind == SOURCE_INSN)
		fprintf(f, ",\"id\":%" PRIu64 ",\"n\":%u", item->id, item->n_insn);
	if (item->has_addr)
		fprintf(f, ",\"addr\":\"0x%" PRIx64 "\"", item->addr);
	fputs(",\"text\":", f);
	json_text(f, text_of(m, i, item));
	fputc('}', f);
}

static void json_stream(struct match *m)
{
	fprintf(m->options->out, "\"%s\":%u", m->stream.by == SOURCE_THREAD ? "thread" : "cpu",
		m->stream.number);
	if (m->stream.idle)
		fprintf(m->options->out, ",\"cpu\":%u", m->stream.cpu);
}

static void json_pair(struct match *m, enum match_kind kind, const struct source_item *a,
		      const struct source_item *b, uint32_t fields)
{
	FILE *f = m->options->out;
	const char *comma = "";

	fprintf(f, "{\"difference\":\"%s\",", match_kind_name(kind));
	json_stream(m);
	fprintf(f, ",\"place\":%" PRIu64 ",\"why\":\"%s\",\"fields\":[", m->count.places + 1,
		m->report->why);
	for (unsigned int i = 0; i < MATCH_FIELDS; i++)
		if (fields >> i & 1) {
			fprintf(f, "%s\"%s\"", comma, match_field_name(i));
			comma = ",";
		}
	fputc(']', f);
	json_item(m, 0, a);
	json_item(m, 1, b);
	fputs("}\n", f);
}

/* ---------------------------------------------------------------- around a place */

/* The last instructions or records that side @i took before the place.  Return: how many. */
static unsigned int past(const struct match *m, int i, struct source_item *list)
{
	const struct match_side *s = &m->side[i];
	const unsigned int max = m->options->context;
	uint64_t oldest = s->n_past > MATCH_PAST ? s->n_past - MATCH_PAST : 0;
	unsigned int n = 0;

	for (uint64_t at = m->before[i]; at-- > oldest && n < max;) {
		const struct source_item *item = &s->past[at % MATCH_PAST];
		uint32_t left = item->kind == SOURCE_INSN ? item->n_insn : 1;

		while (left-- && n < max) {
			list[n] = *item;
			if (item->kind == SOURCE_INSN && left)
				match_trim(&list[n], left);
			if (item->kind == SOURCE_INSN)
				match_first(&list[n]);
			n++;
		}
	}
	return n;
}

static void show_past(struct match *m)
{
	struct source_item a[MATCH_PAST], b[MATCH_PAST];
	unsigned int n = past(m, 0, a), k = past(m, 1, b);

	for (unsigned int i = n > k ? n : k; i--;)
		line(m, ' ', i < n ? &a[i] : NULL, i < k ? &b[i] : NULL);
}

/* The next ones of side @i. */
static unsigned int ahead(struct match *m, int i, struct source_item *list)
{
	const unsigned int max = m->options->context;
	const struct match_kept *kept;
	unsigned int n = 0;

	for (size_t at = 0; n < max && (kept = match_side_ahead(&m->side[i], at)); at++) {
		struct source_item item = kept->item;
		uint32_t left = item.kind == SOURCE_INSN ? item.n_insn : 1;

		for (; left && n < max; left--) {
			list[n] = item;
			if (item.kind == SOURCE_INSN)
				match_first(&list[n]);
			if (left > 1)
				match_trim(&item, 1);
			n++;
		}
	}
	return n;
}

static void show_ahead(struct match *m)
{
	struct source_item a[MATCH_PAST], b[MATCH_PAST];
	unsigned int n = ahead(m, 0, a), k = ahead(m, 1, b);

	for (unsigned int i = 0; i < n || i < k; i++)
		line(m, ' ', i < n ? &a[i] : NULL, i < k ? &b[i] : NULL);
}

/* ---------------------------------------------------------------- a place */

void match_report_begin(struct match *m, enum match_kind kind, const char *why)
{
	struct match_report *r = m->report;

	r->kind = kind;
	r->why = why;
	r->shown = !m->options->quiet && (!m->options->max || m->count.places < m->options->max);
	r->open = false;
	r->any = false;
	r->lines = 0;
	r->hidden = 0;
}

static void head(struct match *m)
{
	struct match_report *r = m->report;
	char name[SOURCE_STREAM_NAME];
	FILE *f = m->options->out;

	r->open = true;
	if (m->options->format == MATCH_UNIFIED)
		fprintf(f, "@@ %s -%" PRIu64 " +%" PRIu64 " @@ %s\n",
			source_stream_name(&m->stream, name), m->side[0].insns + 1,
			m->side[1].insns + 1, r->why);
	else
		fprintf(f, "%s, behind %" PRIu64 " and %" PRIu64 " instructions: %s\n",
			source_stream_name(&m->stream, name), m->side[0].insns, m->side[1].insns,
			r->why);
	show_past(m);
}

/* Return: one more line may be shown. */
static bool room(struct match *m)
{
	struct match_report *r = m->report;

	if (!r->shown || m->options->format == MATCH_JSON)
		return false;
	if (!r->open)
		head(m);
	if (r->lines < LINES) {
		r->lines++;
		return true;
	}
	r->hidden++;
	return false;
}

static void show_fields(struct match *m, uint32_t fields)
{
	FILE *f = m->options->out;
	const char *comma = "";

	if (!fields || m->options->format != MATCH_SIDES)
		return;
	fprintf(f, "  %*s   differs in: ", WIDTH, "");
	for (unsigned int i = 0; i < MATCH_FIELDS; i++)
		if (fields >> i & 1) {
			fprintf(f, "%s%s", comma, match_field_name(i));
			comma = ", ";
		}
	fputc('\n', f);
}

void match_report_pair(struct match *m, enum match_kind kind, const struct source_item *a,
		       const struct source_item *b, uint32_t fields)
{
	const struct source_item *only = a ? a : b;
	struct match_report *r = m->report;
	char mark = '|';

	r->any = true;
	m->count.differences[kind] += only->kind == SOURCE_INSN && !(a && b) ? only->n_insn : 1;
	if (r->shown && m->options->format == MATCH_JSON)
		json_pair(m, kind, a, b, fields);
	if (!room(m))
		return;
	if (kind == MATCH_ORDER)
		mark = '~';
	else if (!a || !b)
		mark = a ? '<' : '>';
	line(m, mark, a, b);
	show_fields(m, fields);
}

void match_report_same(struct match *m, const struct source_item *a, const struct source_item *b)
{
	if (room(m))
		line(m, ' ', a, b);
}

void match_report_end(struct match *m)
{
	struct match_report *r = m->report;
	FILE *f = m->options->out;

	if (!r->any)
		return;
	if (r->open) {
		if (r->hidden)
			fprintf(f, "  ... and %" PRIu64 " more\n", r->hidden);
		show_ahead(m);
		fputc('\n', f);
	}
	m->count.places++;
	if (m->options->first_stop)
		m->stop = true;
}

/* ---------------------------------------------------------------- summary */

static void json_summary(const struct match *m, const char *a, const char *b)
{
	const struct match_count *c = &m->count;
	FILE *f = m->options->out;

	fputs("{\"summary\":true,\"a\":", f);
	json_text(f, a);
	fputs(",\"b\":", f);
	json_text(f, b);
	fprintf(f, ",\"equal\":%s,\"insns\":{\"a\":%" PRIu64 ",\"b\":%" PRIu64 ",\"equal\":%" PRIu64
		"},\"records\":{\"a\":%" PRIu64 ",\"b\":%" PRIu64 ",\"equal\":%" PRIu64 "}",
		match_differences(c) ? "false" : "true", c->insns[0], c->insns[1], c->equal,
		c->all[0], c->all[1], c->records);
	fputs(",\"differences\":{", f);
	for (int i = 0; i < MATCH_KIND_NR; i++)
		fprintf(f, "%s\"%s\":%" PRIu64, i ? "," : "", match_kind_name(i),
			c->differences[i]);
	fputs("},\"lost\":{", f);
	for (int i = 1; i < TRUTH_LOST_NR; i++)
		fprintf(f, "%s\"%s\":%" PRIu64, i > 1 ? "," : "", truth_lost_name(i), c->lost[i]);
	fprintf(f, "},\"places\":%" PRIu64 ",\"unsynced\":%" PRIu64 "}\n", c->places, c->unsynced);
}

static void losses(const struct match_count *c, FILE *f)
{
	for (int i = 1; i < TRUTH_LOST_NR; i++)
		if (c->losses[i])
			fprintf(f, "%" PRIu64 " instructions lost and logged as %s, %" PRIu64
				" times\n", c->lost[i], truth_lost_name(i), c->losses[i]);
}

void match_report_summary(const struct match *m, const char *a, const char *b)
{
	const struct match_count *c = &m->count;
	FILE *f = m->options->out;

	if (m->options->quiet)
		return;
	if (m->options->format == MATCH_JSON) {
		json_summary(m, a, b);
		return;
	}
	fprintf(f, "%s: %" PRIu64 " instructions, %" PRIu64 " other records\n", a, c->insns[0],
		c->all[0]);
	fprintf(f, "%s: %" PRIu64 " instructions, %" PRIu64 " other records\n", b, c->insns[1],
		c->all[1]);
	fprintf(f, "%" PRIu64 " instructions equal, %" PRIu64 " other records\n", c->equal,
		c->records);
	losses(c, f);
	for (int i = 0; i < MATCH_KIND_NR; i++)
		if (c->differences[i])
			fprintf(f, "%" PRIu64 " %s\n", c->differences[i], match_kind_name(i));
	if (c->unsynced)
		fprintf(f, "%" PRIu64 " times they did not meet again within the look-ahead\n",
			c->unsynced);
	if (c->places)
		fprintf(f, "different, in %" PRIu64 " place%s\n", c->places,
			c->places > 1 ? "s" : "");
	else
		fputs("equal\n", f);
}
