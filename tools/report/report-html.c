// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page: tools/report/page/ has everything to display, with the counts as JSON in the middle.
 * Names are only data: the page makes texts of them, never markup.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/new-file.h"
#include "../lib/file.h"
#include "../lib/json.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "page-parts.h"

/* Where the data goes in the page. */
static const char mark[] = "@DATA@";

/*
 * The files of the page one after another, with a zero at the end.  The name is global: with -flto,
 * this and the code that reads it may be in two objects.
 */
#define FILE_OF_PAGE(name) ".incbin \"tools/report/page/" name "\"\n"
__asm__(".section .rodata\n"
	".globl report_page\n"
	".hidden report_page\n"
	"report_page:\n"
	FILE_OF_PAGE("begin.html")
	FILE_OF_PAGE("page.css")
	FILE_OF_PAGE("body.html")
	FILE_OF_PAGE("data.js")
	FILE_OF_PAGE("look.js")
	FILE_OF_PAGE("table.js")
	FILE_OF_PAGE("code.js")
	FILE_OF_PAGE("both.js")
	FILE_OF_PAGE("view.js")
	FILE_OF_PAGE("flame.js")
	FILE_OF_PAGE("time.js")
	FILE_OF_PAGE("lists.js")
	FILE_OF_PAGE("main.js")
	FILE_OF_PAGE("end.html")
	".byte 0\n"
	".previous\n");

void page_begin(FILE *f)
{
	fwrite(report_page, 1, strstr(report_page, mark) - report_page, f);
}

void page_end(FILE *f)
{
	fputs(strstr(report_page, mark) + strlen(mark), f);
}

uint32_t page_function_at(struct page *p, size_t dso, uint64_t at, uint64_t *offset)
{
	struct place_symbol symbol;
	struct report_row row = { .dso = dso };

	if (!places_symbol(&p->r->places, dso, at, &symbol)) {
		*offset = places_address(&p->r->places, dso, at);
		return 0;
	}
	row.symbol = symbol.name;
	row.start = symbol.start;
	*offset = at - symbol.start;
	return page_frame_use(&p->frames, page_frame_of_row(&p->frames, p->r, &row));
}

/* ---------------------------------------------------------------- head */

void page_print_lost(const struct report *r, int n, FILE *f)
{
	fprintf(f, "\"lost\":[");
	for (int i = 0; i < n; i++) {
		uint64_t lost[] = { 0, r[i].table.stat[COUNT_SKIPPED] };

		for (int g = 0; g < CSF_GAP_NR; g++)
			lost[0] = count_sum(lost[0], r[i].table.stat[COUNT_LOST + g]);
		fputs(i ? ",[" : "[", f);
		page_numbers(f, lost, 2);
		fputs("]", f);
	}
	fprintf(f, "],\n");
}

static void print_head(const struct page *p)
{
	const struct report *r = p->r;
	const uint64_t totals[] = { r->insns, r->cycles, r->timed, r->table.stat[COUNT_BYTES] };

	fprintf(p->f, "{\"files\":[");
	for (int i = 0; i < r->n_path; i++) {
		fputs(i ? "," : "", p->f);
		json_string(p->f, r->path[i]);
	}
	fprintf(p->f, "],\n\"sides\":1,\"insns\":[");
	page_number(p->f, r->insns);
	fprintf(p->f, "],\n\"totals\":[");
	page_numbers(p->f, totals, 4);
	fprintf(p->f, "],\n");
	page_print_lost(r, 1, p->f);
	fprintf(p->f, "\"emulated\":%s,\n\"dsos\":[", r->emulated ? "true" : "false");
	for (size_t i = 0; i < r->table.n; i++) {
		fputs(i ? "," : "", p->f);
		json_string(p->f, report_base(r->table.dso[i].name));
	}
	fprintf(p->f, "],\n");
}

/* ---------------------------------------------------------------- functions */

/* The functions of the table are the first: number, the most of one left out, the sum of these. */
static int print_functions(struct page *p)
{
	uint64_t cut[] = { 0, 0, 0 };

	for (size_t i = 0; i < p->rows.n; i++) {
		const struct report_row *row = &p->rows.row[i];

		if (i < PAGE_FUNCTIONS_MAX) {
			if (!page_frame_use(&p->frames, page_frame_of_row(&p->frames, p->r, row)))
				return -ENOMEM;
			continue;
		}
		cut[0]++;
		cut[1] = row->insns > cut[1] ? row->insns : cut[1];
		cut[2] = count_sum(cut[2], row->insns);
	}
	fprintf(p->f, "\"n_functions\":%zu,\n\"cut\":[", p->frames.n_used);
	page_numbers(p->f, cut, 3);
	fprintf(p->f, "],\n");
	return 0;
}

/* A side that has no calls of a function has none of these numbers, which come last. */
static void print_frame(const struct page_frame *frame, FILE *f, int sides)
{
	page_numbers(f, (const uint64_t[]){ frame->cycles, frame->timed }, 2);
	for (int side = 0; side < sides; side++) {
		fprintf(f, ",%" PRIu32 ",", frame->code[side]);
		page_number(f, frame->insns[side]);
		if (!frame->called[side]) {
			fprintf(f, ",-1,-1");
			continue;
		}
		fprintf(f, ",");
		page_numbers(f, (const uint64_t[]){ frame->calls[side], frame->total[side] }, 2);
	}
}

/* name, file, cycles, with cycles; for each side: code, instructions, calls, with callees */
void page_print_frames(const struct page_frames *frames, FILE *f, int sides)
{
	fprintf(f, "\"frames\":[");
	for (size_t i = 0; i < frames->n_used; i++) {
		const struct page_frame *frame = &frames->frame[frames->used[i]];

		fprintf(f, "%s[%" PRIu32 ",%" PRIu32 ",", i ? ",\n" : "\n",
			page_text_use(frames->texts, frame->name),
			page_text_use(frames->texts, frame->file));
		print_frame(frame, f, sides);
		fprintf(f, "]");
	}
	fprintf(f, "],\n\"texts\":");
	page_texts_print(frames->texts, f, PAGE_TEXT_MAX);
	fprintf(f, "}\n");
}

/* ---------------------------------------------------------------- the page */

static int print_tree(struct page *p)
{
	int err = page_tree_add(&p->tree, &p->r->contexts, 0);

	fprintf(p->f, "\"tree\":");
	if (!err)
		err = page_tree_print(&p->tree, p->f, 1);
	fprintf(p->f, ",\n\"shares\":");
	if (!err)
		err = page_shares_print(&p->tree, &p->r->contexts, p->f);
	fprintf(p->f, ",\n");
	return err;
}

/* Those with most instructions come first. */
static int print_codes(struct page *p)
{
	const size_t n = p->rows.n < PAGE_FUNCTIONS_MAX ? p->rows.n : PAGE_FUNCTIONS_MAX;
	struct page_code *code = calloc(n + 1, sizeof(*code));
	int err = -ENOMEM;

	for (size_t i = 0; i < n && code; i++)
		code[i].row = &p->rows.row[i];
	if (code)
		err = page_print_codes(p, code, n, 1);
	free(code);
	return err;
}

static int print_data(struct page *p)
{
	int (*const print[])(struct page *) = {
		print_functions, print_codes, print_tree,
		page_print_loops, page_print_blocks, page_print_edges,
	};
	int err = page_frames_add(&p->frames, p->r, &p->rows, 0);

	print_head(p);
	for (size_t i = 0; i < sizeof(print) / sizeof(*print) && !err; i++)
		err = print[i](p);
	page_print_frames(&p->frames, p->f, 1);
	return p->texts.failed ? -ENOMEM : err;
}

int page_init(struct page *p, struct report *r, FILE *f)
{
	*p = (struct page){ .r = r, .f = f, .source = { .symfs = r->options.dso.symfs } };
	p->frames.texts = &p->texts;
	p->tree.frames = &p->frames;
	return disasm_new(&p->dis) == -ENOMEM ? -ENOMEM : 0;
}

void page_fini(struct page *p)
{
	disasm_free(p->dis);
	source_text_fini(&p->source);
	page_tree_fini(&p->tree);
	page_frames_fini(&p->frames);
	page_texts_fini(&p->texts);
	free(p->rows.row);
}

int page_print_one(struct report *r, FILE *f)
{
	struct page p;
	int err = page_init(&p, r, f);

	if (!err)
		err = report_rows(r, REPORT_DSO | REPORT_SYMBOL, &p.rows);
	if (!err) {
		page_begin(f);
		err = print_data(&p);
		page_end(f);
	}
	page_fini(&p);
	return err;
}

int report_write_page(struct report *r, int n, const char *out)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int err = !f ? -ENOMEM : n == 1 ? page_print_one(r, f) : page_print_two(r, f);

	if (f && fclose(f) && !err)
		err = -ENOMEM;
	if (err) {
		free(text);
		return report_failed(r, "making the page", err);
	}
	f = new_file(out);
	err = f ? new_file_close(f, fwrite(text, 1, size, f) == size ? 0 : -errno) : -errno;
	if (err)
		log_say(LOG_FILE, "csflow: %s: %s\n", out ? out : "standard output",
			file_words(out, err));
	free(text);
	return err ? CMD_FAILED : CMD_OK;
}
