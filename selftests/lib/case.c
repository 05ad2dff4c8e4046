// SPDX-License-Identifier: GPL-2.0-only
/* Reads trace cases. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "case-asm.h"
#include "case.h"

#define SPACE	" \t\n"

enum part { PART_NONE, PART_CODE, PART_TRACE, PART_EXPECT };

/**
 * struct reader - where case_read() is
 * @pass: 0 collects labels, 1 does the rest
 * @at: number of the case the line belongs to; -1: to all
 */
struct reader {
	struct trace_case *c;
	struct text *error;
	int which, pass, at;
	enum part part;
};

static int wrong(const struct reader *r, const char *what, const char *word)
{
	text_add(r->error, "%s '%s'", what, word);
	return -1;
}

/* ---------------------------------------------------------------- addresses */

static const struct label *find_label(const struct trace_case *c, const char *name, size_t n)
{
	for (size_t i = 0; i < c->n_label; i++)
		if (strlen(c->label[i].name) == n && !strncmp(c->label[i].name, name, n))
			return &c->label[i];
	return NULL;
}

/* "label", "label+4", "label-4" */
static bool label_addr(const struct trace_case *c, const char *word, uint64_t *addr)
{
	size_t n = strcspn(word, "+-");
	const struct label *l = find_label(c, word, n);

	if (!l)
		return false;
	*addr = l->addr + (uint64_t)strtoll(word[n] ? word + n : "0", NULL, 0);
	return true;
}

static int put_label(struct reader *r, const char *name, uint64_t addr)
{
	struct trace_case *c = r->c;
	struct label *l;

	if (r->pass)
		return 0;
	if (c->n_label == CASE_LABELS || find_label(c, name, strlen(name)))
		return wrong(r, "one label too many:", name);
	l = &c->label[c->n_label++];
	snprintf(l->name, sizeof(l->name), "%s", name);
	l->addr = addr;
	return 0;
}

/* ---------------------------------------------------------------- code */

static int emit(struct reader *r, const uint8_t *bytes, unsigned int n)
{
	struct case_section *s = &r->c->section[r->c->n_section - 1];

	if (s->n + n > s->max) {
		s->max = 2 * s->max + 64;
		s->code = realloc(s->code, s->max);
		if (!s->code)
			abort();
	}
	memcpy(s->code + s->n, bytes, n);
	s->n += n;
	return 0;
}

static int word(struct reader *r, unsigned int size, const char *arg)
{
	uint32_t value = strtoul(arg, NULL, 0);
	uint8_t bytes[4] = { value, value >> 8, value >> 16, value >> 24 };

	return emit(r, bytes, size);
}

/* One instruction; the last word may be a label. */
static int instruction(struct reader *r, char *s)
{
	struct case_section *section = &r->c->section[r->c->n_section - 1];
	uint64_t pc = section->addr + section->n, to = pc;
	char *save = NULL, *name = strtok_r(s, SPACE ",", &save), *last = NULL;
	uint8_t bytes[4];
	unsigned int n;

	if (!name)
		return 0;
	for (char *w; (w = strtok_r(NULL, SPACE ",", &save));)
		last = w;
	if (!strcmp(name, ".word") || !strcmp(name, ".half"))
		return last ? word(r, name[1] == 'w' ? 4 : 2, last) : wrong(r, "no value:", name);
	if (last && *last == '.')
		to = pc + strtoll(last + 1, NULL, 0);
	else if (last && !label_addr(r->c, last, &to))
		to = strtoull(last, NULL, 0);
	n = case_asm(section->isa, name, pc, to, bytes);
	return n ? emit(r, bytes, n) : wrong(r, "no such instruction:", name);
}

/* ".repeat 3 nop; b.eq .+8" */
static int repeat(struct reader *r, const char *s)
{
	char *list;
	long n = strtol(s, &list, 0);

	while (n-- > 0) {
		char *copy = strdup(list), *save = NULL;
		int err = 0;

		for (char *i = strtok_r(copy, ";", &save); i && !err;
		     i = strtok_r(NULL, ";", &save))
			err = instruction(r, i);
		free(copy);
		if (err)
			return err;
	}
	return 0;
}

static int code_line(struct reader *r, char *s)
{
	struct case_section *section = &r->c->section[r->c->n_section - 1];
	char *colon = strchr(s, ':'), *equals = strchr(s, '=');
	char name[32], value[32];

	if (equals && sscanf(s, " %31[^= \t] = %31s", name, value) == 2)
		return put_label(r, name, strtoull(value, NULL, 0));
	if (colon) {
		if (sscanf(s, " %31[^: \t]", name) != 1 ||
		    put_label(r, name, section->addr + section->n))
			return -1;
		s = colon + 1;
	}
	s += strspn(s, SPACE);
	if (!strncmp(s, ".repeat", 7))
		return repeat(r, s + 7);
	return instruction(r, s);
}

/* The words after "code" and "map". */
static int map_options(struct reader *r, struct walker_map *map, char **save)
{
	struct case_section none, *section = &none;

	if (map->section >= 0)
		section = &r->c->section[map->section];
	for (char *w; (w = strtok_r(NULL, SPACE, save));) {
		char *arg;

		if (!strcmp(w, "a64") || !strcmp(w, "a32") || !strcmp(w, "t32")) {
			section->isa = *w == 't' ? CSF_T32 : w[1] == '6' ? CSF_A64 : CSF_A32;
			continue;
		}
		arg = strtok_r(NULL, SPACE, save);
		if (!arg)
			return wrong(r, "no value for", w);
		if (!strcmp(w, "as"))
			snprintf(section->name, sizeof(section->name), "%s", arg);
		else if (!strcmp(w, "space"))
			map->space = strtoul(arg, NULL, 0);
		else if (!strcmp(w, "from"))
			map->from = strtoull(arg, NULL, 0);
		else if (!strcmp(w, "until"))
			map->until = strtoull(arg, NULL, 0);
		else if (!strcmp(w, "offset"))
			map->base = strtoull(arg, NULL, 0);
		else if (!strcmp(w, "size"))
			map->n = strtoull(arg, NULL, 0);
		else
			return wrong(r, "what is", w);
	}
	if (map->space >= r->c->n_space)
		r->c->n_space = map->space + 1;
	map->base = map->addr - map->base;
	return 0;
}

static struct walker_map *put_map(struct reader *r, const char *addr)
{
	struct walker_map *map;

	if (!addr || r->c->n_map == CASE_MAPS || r->c->n_section == CASE_SECTIONS)
		return NULL;
	map = &r->c->map[r->c->n_map++];
	*map = (struct walker_map){
		.addr = strtoull(addr, NULL, 0), .n = UINT64_MAX, .until = UINT64_MAX,
	};
	return map;
}

static int code_head(struct reader *r, char **save)
{
	struct walker_map *map = put_map(r, strtok_r(NULL, SPACE, save));

	if (!map)
		return wrong(r, "no room, or no address:", "code");
	map->section = r->c->n_section;
	r->c->section[r->c->n_section++] = (struct case_section){ .addr = map->addr };
	r->part = PART_CODE;
	return map_options(r, map, save);
}

/* "map NAME ADDR ..." */
static int map_head(struct reader *r, char **save)
{
	const char *name = strtok_r(NULL, SPACE, save);
	struct walker_map *map = put_map(r, strtok_r(NULL, SPACE, save));

	if (!map || !name)
		return wrong(r, "no room, or no address:", "map");
	for (size_t i = 0; i < r->c->n_section; i++)
		if (!strcmp(r->c->section[i].name, name)) {
			map->section = i;
			return map_options(r, map, save);
		}
	return wrong(r, "no code of this name:", name);
}

/* "unmap ADDR size N" */
static int unmap_head(struct reader *r, char **save)
{
	struct walker_map *map = put_map(r, strtok_r(NULL, SPACE, save));

	if (!map)
		return wrong(r, "no room, or no address:", "unmap");
	map->section = -1;
	return map_options(r, map, save);
}

/* "space 1 cid 0x42" */
static int space_head(struct reader *r, char **save)
{
	static const char *const what[] = { "cid", "vmid", "el" };
	const char *space = strtok_r(NULL, SPACE, save);
	const char *key = strtok_r(NULL, SPACE, save), *value = strtok_r(NULL, SPACE, save);

	if (!value || r->c->n_rule == CASE_RULES)
		return wrong(r, "no room, or too short:", "space");
	for (int i = 0; i < 3; i++)
		if (!strcmp(what[i], key)) {
			r->c->rule[r->c->n_rule++] = (struct case_rule){
				.what = i, .value = strtoul(value, NULL, 0),
				.space = strtol(space, NULL, 0),
			};
			return 0;
		}
	return wrong(r, "what is", key);
}

/* ---------------------------------------------------------------- trace */

static struct case_piece *piece(struct trace_case *c)
{
	if (!c->n_piece)
		c->n_piece = 1;
	return &c->piece[c->n_piece - 1];
}

static void put_trace(struct trace_case *c, const uint8_t *bytes, size_t n)
{
	struct case_piece *p = piece(c);

	p->trace = realloc(p->trace, p->n + n + 1);
	if (!p->trace)
		abort();
	memcpy(p->trace + p->n, bytes, n);
	p->n += n;
}

/* @name ends here: the next character is not part of a word. */
static bool starts(const char *s, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(s, name, n) && (!s[n] || isspace(s[n]));
}

static int end_piece(struct reader *r, enum case_end end)
{
	struct trace_case *c = r->c;

	piece(c)->end = end;
	if (c->n_piece == CASE_PIECES)
		return wrong(r, "too many", "ends");
	c->n_piece++;
	return 0;
}

/* "raw 82 00 08 00 00 31": hexadecimal bytes; AS, @S and @P1 as in the protocol sheet. */
static int raw(struct reader *r, char *s)
{
	static const uint8_t bytes[] = {
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 4, 0x82, 0, 8, 0, 0, 0x31,
	};
	char *save = NULL;

	for (char *w = strtok_r(s, SPACE, &save); w; w = strtok_r(NULL, SPACE, &save)) {
		uint8_t byte = strtoul(w, NULL, 16);

		if (!strcmp(w, "AS"))
			put_trace(r->c, bytes, 12);
		else if (!strcmp(w, "@S"))
			put_trace(r->c, bytes, 15);
		else if (!strcmp(w, "@P1"))
			put_trace(r->c, bytes, sizeof(bytes));
		else if (strlen(w) == 2 && strspn(w, "0123456789abcdefABCDEF") == 2)
			put_trace(r->c, &byte, 1);
		else
			return wrong(r, "not a byte:", w);
	}
	return 0;
}

/* Labels become numbers, whether they stand alone or after '='. */
static void resolve(const struct trace_case *c, const char *s, struct text *out)
{
	while (*s) {
		size_t gap = strspn(s, SPACE "=,/"), n = strcspn(s + gap, SPACE "=,/");
		char token[64];
		uint64_t addr;

		text_add(out, "%.*s", (int)gap, s);
		s += gap;
		snprintf(token, sizeof(token), "%.*s", (int)n, s);
		if (n && out->n && label_addr(c, token, &addr))
			text_add(out, "%#" PRIx64, addr);
		else
			text_add(out, "%s", token);
		s += n;
	}
}

/* A label is a whole address; a packet may hold only the low bits. */
static void trim(struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ADDR_SHORT:
	case CSF_PKT_ADDR32:
	case CSF_PKT_ADDR_CTXT32:
	case CSF_PKT_SRC_SHORT:
	case CSF_PKT_SRC32:
	case CSF_PKT_Q:
		if (pkt->n)
			pkt->val &= (1ull << pkt->n) - 1;
		break;
	default:
		break;
	}
}

static int packet(struct reader *r, const char *s)
{
	struct csf_packet pkt = { 0 };
	struct text line = { 0 };
	uint8_t bytes[CSF_PACKET_MAX];
	const char *where = s;
	int n = 0, err;

	resolve(r->c, s, &line);
	err = csf_packet_parse(&r->c->config, line.s, &pkt, &where);
	trim(&pkt);
	if (err)
		wrong(r, "not understood:", where);
	else
		n = csf_packet_write(&r->c->config, bytes, &pkt);
	if (!err && n <= 0)
		wrong(r, "no such packet in this configuration:", line.s);
	if (n > 0)
		put_trace(r->c, bytes, n);
	text_fini(&line);
	return n > 0 ? 0 : -1;
}

static int trace_line(struct reader *r, char *s)
{
	s += strspn(s, SPACE);
	s[strcspn(s, "\n")] = 0;
	if (!*s)
		return 0;
	if (starts(s, "raw"))
		return raw(r, s + 3);
	if (starts(s, "end"))
		return end_piece(r, CASE_END);
	if (starts(s, "break"))
		return end_piece(r, CASE_BREAK);
	if (starts(s, "reset"))
		return end_piece(r, CASE_RESET);
	return packet(r, s);
}

/* One space between words, and the name that would be printed for each address. */
static int expect_line(struct reader *r, char *s)
{
	const struct labels labels = { r->c->label, r->c->n_label };
	char *save = NULL, name[64];
	const char *between = "";
	uint64_t addr;

	for (char *w = strtok_r(s, SPACE, &save); w; w = strtok_r(NULL, SPACE, &save)) {
		if (label_addr(r->c, w, &addr))
			text_add(&r->c->expect, "%s%s", between, labels_name(&labels, addr, name));
		else
			text_add(&r->c->expect, "%s%s", between, w);
		between = " ";
	}
	if (*between)
		text_add(&r->c->expect, "\n");
	return 0;
}

/* ---------------------------------------------------------------- lines */

static int config_line(struct reader *r, char *words)
{
	const char *what = case_configure(&r->c->config, words);

	return what ? wrong(r, "no such word in a configuration:", what) : 0;
}

static int head(struct reader *r, char *s)
{
	bool ours = r->at == r->which || r->at < 0;
	char *save = NULL, *w = strtok_r(s, SPACE, &save);
	size_t n = strlen(r->c->title);

	r->part = PART_NONE;
	if (!strcmp(w, "case")) {
		r->at++;
		if (r->at == r->which && r->pass)
			snprintf(r->c->title + n, sizeof(r->c->title) - n, ": %s",
				 strtok_r(NULL, SPACE, &save) ?: "");
		return 0;
	}
	if (!strcmp(w, "trace")) {
		r->part = PART_TRACE;
		return 0;
	}
	if (!strcmp(w, "expect")) {
		r->part = PART_EXPECT;
		return 0;
	}
	if (!ours)
		return 0;
	if (!strcmp(w, "config"))
		return r->pass ? config_line(r, save) : 0;
	if (!strcmp(w, "code"))
		return code_head(r, &save);
	if (!strcmp(w, "map"))
		return map_head(r, &save);
	if (!strcmp(w, "unmap"))
		return unmap_head(r, &save);
	if (!strcmp(w, "space"))
		return space_head(r, &save);
	return wrong(r, "what is", w);
}

static int line(struct reader *r, char *s)
{
	s[strcspn(s, "#\n")] = 0;
	if (!s[strspn(s, SPACE)])
		return 0;
	if (!isspace(*s) && !(r->part == PART_CODE && strpbrk(s, ":=")))
		return head(r, s);
	if (r->at >= 0 && r->at != r->which)
		return 0;

	switch (r->part) {
	case PART_CODE:
		return code_line(r, s);
	case PART_TRACE:
		return r->pass ? trace_line(r, s) : 0;
	case PART_EXPECT:
		return r->pass ? expect_line(r, s) : 0;
	default:
		return wrong(r, "where does this belong:", s);
	}
}

/* Maps get exactly their bytes. */
static int finish(struct reader *r)
{
	struct trace_case *c = r->c;

	for (size_t i = 0; i < c->n_map; i++) {
		struct walker_map *map = &c->map[i];
		const struct case_section *s;
		uint64_t offset = map->addr - map->base;

		if (map->section < 0)
			continue;
		s = &c->section[map->section];
		if (offset >= s->n)
			return wrong(r, "nothing to map of", s->name);
		if (map->n > s->n - offset)
			map->n = s->n - offset;
		map->code = s->code + offset;
	}
	return 0;
}

static void forget_code(struct trace_case *c)
{
	for (size_t i = 0; i < c->n_section; i++)
		free(c->section[i].code);
	c->n_section = 0;
	c->n_map = 0;
	c->n_rule = 0;
}

int case_read(struct trace_case *c, FILE *f, const char *path, int which, struct text *error)
{
	struct reader r = { .c = c, .error = error, .which = which };
	const char *base = strrchr(path, '/');
	char s[512];

	memset(c, 0, sizeof(*c));
	snprintf(c->title, sizeof(c->title), "%s", base ? base + 1 : path);
	case_config(&c->config);
	c->n_space = 1;
	for (r.pass = 0; r.pass < 2; r.pass++) {
		int nr = 0;

		forget_code(c);
		r.at = -1;
		r.part = PART_NONE;
		rewind(f);
		while (fgets(s, sizeof(s), f)) {
			nr++;
			if (line(&r, s)) {
				text_add(error, " at %s:%d", path, nr);
				return -1;
			}
		}
	}
	if (which > (r.at < 0 ? 0 : r.at))
		return 0;
	piece(c);
	return finish(&r) ? -1 : 1;
}

void case_fini(struct trace_case *c)
{
	forget_code(c);
	for (size_t i = 0; i < c->n_piece; i++)
		free(c->piece[i].trace);
	c->n_piece = 0;
	text_fini(&c->expect);
}

int case_space(const struct trace_case *c, const struct csf_context *context)
{
	for (size_t i = 0; i < c->n_rule; i++) {
		const struct case_rule *rule = &c->rule[i];

		if ((rule->what == CASE_CID && context->has_contextid &&
		     context->contextid == rule->value) ||
		    (rule->what == CASE_VMID && context->has_vmid &&
		     context->vmid == rule->value) ||
		    (rule->what == CASE_EL && context->el == rule->value))
			return rule->space;
	}
	return CSF_SPACE_ALL;
}

uint64_t case_limit(const struct trace_case *c, uint64_t time)
{
	uint64_t limit = 0;

	for (size_t i = 0; i < c->n_map; i++) {
		const uint64_t at[2] = { c->map[i].from, c->map[i].until };

		for (int k = 0; k < 2; k++)
			if (at[k] > time && at[k] != UINT64_MAX && (!limit || at[k] < limit))
				limit = at[k];
	}
	return limit;
}
