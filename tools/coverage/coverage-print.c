// SPDX-License-Identifier: GPL-2.0-only
/* Coverage in the formats of other tools: lcov's tracefile, Cobertura's XML. */
#include <inttypes.h>
#include <string.h>

#include "coverage.h"
#include "../lib/utf8.h"

/* ---------------------------------------------------------------- lcov */

/* A name ends with its line. */
static void print_word(FILE *f, const char *s)
{
	for (; *s; s++)
		fputc((uint8_t)*s < ' ' || *s == 0x7f ? '?' : *s, f);
}

static void print_functions(const struct coverage_part *p, FILE *f)
{
	for (uint64_t i = 0; i < p->sum.functions; i++) {
		fprintf(f, "FN:%d,", p->function[i].at.line);
		print_word(f, p->function[i].name);
		fputc('\n', f);
	}
	for (uint64_t i = 0; i < p->sum.functions; i++) {
		fprintf(f, "FNDA:%" PRIu64 ",", p->function[i].count);
		print_word(f, p->function[i].name);
		fputc('\n', f);
	}
	fprintf(f, "FNF:%" PRIu64 "\nFNH:%" PRIu64 "\n", p->sum.functions, p->sum.functions_hit);
}

/* A branch that was not reached has no direction. */
static void print_way(FILE *f, uint64_t n, bool reached)
{
	if (reached)
		fprintf(f, "%" PRIu64 "\n", n);
	else
		fprintf(f, "-\n");
}

static void print_branches(const struct coverage_part *p, FILE *f)
{
	unsigned int block = 0;

	for (uint64_t i = 0; i < p->sum.ways / 2; i++) {
		const struct coverage_branch *b = &p->branch[i];
		bool reached = b->taken || b->passed;

		block = i && b[-1].at.line == b->at.line ? block + 1 : 0;
		fprintf(f, "BRDA:%d,%u,0,", b->at.line, block);
		print_way(f, b->taken, reached);
		fprintf(f, "BRDA:%d,%u,1,", b->at.line, block);
		print_way(f, b->passed, reached);
	}
	fprintf(f, "BRF:%" PRIu64 "\nBRH:%" PRIu64 "\n", p->sum.ways, p->sum.ways_hit);
}

void coverage_print_lcov(const struct coverage *c, const char *name, FILE *f)
{
	struct coverage_part p;

	for (size_t i = 0; coverage_part(c, i, &p); i++) {
		if (!p.sum.lines)
			continue;
		fprintf(f, "TN:%s\nSF:", name);
		print_word(f, p.path);
		fputc('\n', f);
		print_functions(&p, f);
		print_branches(&p, f);
		for (uint64_t k = 0; k < p.sum.lines; k++)
			fprintf(f, "DA:%d,%" PRIu64 "\n", p.line[k].at.line, p.line[k].count);
		fprintf(f, "LF:%" PRIu64 "\nLH:%" PRIu64 "\nend_of_record\n", p.sum.lines,
			p.sum.lines_hit);
	}
}

/* ---------------------------------------------------------------- Cobertura */

/* Prints the value of an attribute; bytes that XML does not allow become U+FFFD. */
static void print_xml(FILE *f, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		int n = utf8_size(s);

		if (!n || *s < ' ')
			fputs("\xef\xbf\xbd", f);
		else if (strchr("<>&\"'", *s))
			fprintf(f, "&#%d;", *s);
		else
			fwrite(s, 1, n, f);
		s += n ? n : 1;
	}
}

static void print_rates(FILE *f, const struct coverage_sum *sum)
{
	fprintf(f, "line-rate=\"%.4f\" branch-rate=\"%.4f\" complexity=\"0\"",
		sum->lines ? (double)sum->lines_hit / sum->lines : 1,
		sum->ways ? (double)sum->ways_hit / sum->ways : 1);
}

/* Branches of the line at @*b follow each other; *b is moved after them. */
static void print_line(FILE *f, const struct coverage_line *line, const struct coverage_branch **b,
		       const struct coverage_branch *end)
{
	uint64_t ways = 0, hit = 0;

	for (; *b < end && (*b)->at.line <= line->at.line; ++*b) {
		if ((*b)->at.line < line->at.line)
			continue;
		ways += 2;
		hit += !!(*b)->taken + !!(*b)->passed;
	}
	fprintf(f, "        <line number=\"%d\" hits=\"%" PRIu64 "\" branch=\"%s\"", line->at.line,
		line->count, ways ? "true" : "false");
	if (ways)
		fprintf(f, " condition-coverage=\"%" PRIu64 "%% (%" PRIu64 "/%" PRIu64 ")\"",
			100 * hit / ways, hit, ways);
	fprintf(f, "/>\n");
}

static void print_method(FILE *f, const struct coverage_function *function)
{
	fprintf(f, "        <method name=\"");
	print_xml(f, function->name);
	fprintf(f, "\" signature=\"\" line-rate=\"%d\" branch-rate=\"1\" complexity=\"0\">",
		!!function->count);
	fprintf(f, "<lines><line number=\"%d\" hits=\"%" PRIu64 "\" branch=\"false\"/></lines>"
		"</method>\n", function->at.line, function->count);
}

static void print_class(FILE *f, const struct coverage_part *p)
{
	const struct coverage_branch *b = p->branch, *end = b + p->sum.ways / 2;
	const char *base = strrchr(p->path, '/');

	fprintf(f, "     <class name=\"");
	print_xml(f, base ? base + 1 : p->path);
	fprintf(f, "\" filename=\"");
	print_xml(f, p->path);
	fprintf(f, "\" ");
	print_rates(f, &p->sum);
	fprintf(f, ">\n      <methods>\n");
	for (uint64_t i = 0; i < p->sum.functions; i++)
		print_method(f, &p->function[i]);
	fprintf(f, "      </methods>\n      <lines>\n");
	for (uint64_t i = 0; i < p->sum.lines; i++)
		print_line(f, &p->line[i], &b, end);
	fprintf(f, "      </lines>\n     </class>\n");
}

void coverage_print_cobertura(const struct coverage *c, const char *name, FILE *f)
{
	const struct coverage_sum sum = coverage_total(c);
	struct coverage_part p;

	fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<coverage ");
	print_rates(f, &sum);
	fprintf(f, " lines-covered=\"%" PRIu64 "\" lines-valid=\"%" PRIu64 "\"", sum.lines_hit,
		sum.lines);
	fprintf(f, " branches-covered=\"%" PRIu64 "\" branches-valid=\"%" PRIu64 "\"",
		sum.ways_hit, sum.ways);
	fprintf(f, " version=\"csflow\" timestamp=\"0\">\n");
	fprintf(f, " <sources><source>/</source></sources>\n <packages>\n  <package name=\"");
	print_xml(f, name);
	fprintf(f, "\" ");
	print_rates(f, &sum);
	fprintf(f, ">\n   <classes>\n");
	for (size_t i = 0; coverage_part(c, i, &p); i++)
		if (p.sum.lines)
			print_class(f, &p);
	fprintf(f, "   </classes>\n  </package>\n </packages>\n</coverage>\n");
}
