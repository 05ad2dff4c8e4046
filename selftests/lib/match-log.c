// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "match-log.h"

#include "../../tools/match/match-side.h"

/* ---------------------------------------------------------------- truth logs */

/* Numbers of blocks by what they are: address, instructions, ISA. */
struct known {
	uint64_t addr;
	const uint8_t *code;
	uint32_t n_insn, number;
};

#define KNOWN	(1u << 16)

struct log {
	struct truth_writer *truth;
	struct truth_cpu *cpu;
	struct known *known;
	struct dice *d;
	int64_t insns;
};

static uint32_t define(struct log *log, const struct source_item *item)
{
	const struct truth_block block = {
		.addr = item->addr, .code = source_code(item), .size = item->size,
		.n_insn = item->n_insn, .isa = item->isa,
	};
	struct known *k = &log->known[(item->addr * 31 + item->n_insn) % KNOWN];

	if (k->number && k->addr == item->addr && k->n_insn == item->n_insn &&
	    k->code == block.code)
		return k->number;
	*k = (struct known){ item->addr, block.code, item->n_insn,
			     truth_define(log->truth, &block) };
	return k->number;
}

/* Whole, or in two, or as parts of a block. */
static void ran(struct log *log, struct source_item item)
{
	uint32_t number, at;

	log->insns += item.n_insn;
	if (!log->d || item.n_insn < 2 || roll(log->d, 3)) {
		truth_ran(log->cpu, define(log, &item));
		return;
	}
	at = 1 + roll(log->d, item.n_insn - 1);
	if (roll(log->d, 2)) {
		number = define(log, &item);
		truth_part(log->cpu, number, 0, at);
		truth_part(log->cpu, number, at, item.n_insn - at);
	} else {
		struct source_item front = item;

		front.size = match_bytes(&item, at);
		front.n_insn = at;
		truth_ran(log->cpu, define(log, &front));
		match_trim(&item, at);
		truth_ran(log->cpu, define(log, &item));
	}
}

static enum truth_lost reason(uint64_t gap)
{
	if (gap == CSF_GAP_OFF)
		return TRUTH_LOST_FILTER;
	if (gap == CSF_GAP_OVERFLOW)
		return TRUTH_LOST_OVERFLOW;
	return gap == CSF_GAP_DISCARD ? TRUTH_LOST_DISCARD : TRUTH_LOST_TRUNCATED;
}

static void log_item(struct log *log, const struct source_item *item)
{
	switch ((enum source_kind)item->kind) {
	case SOURCE_INSN:
		ran(log, *item);
		break;
	case SOURCE_EXCEPTION:
		truth_exception(log->cpu, item->value, item->addr);
		break;
	case SOURCE_CONTEXT:
		truth_context(log->cpu, &item->context);
		break;
	case SOURCE_TM:
		truth_tm(log->cpu, item->value);
		break;
	case SOURCE_GAP:
		truth_lost(log->cpu, reason(item->value));
		truth_found(log->cpu);
		break;
	default:
		break;
	}
}

int64_t match_log_truth(struct source *source, int fd, struct dice *d)
{
	struct log log = { .d = d, .known = calloc(KNOWN, sizeof(*log.known)) };
	struct source_stream stream;
	struct source_item item;
	int err = log.known ? truth_new(&log.truth, fd, TRUTH_CPU_MAX / 16) : -ENOMEM;
	int end;

	for (size_t i = 0; !err && source_stream(source, i, &stream); i++) {
		log.cpu = truth_cpu(log.truth, stream.number);
		err = source_start(source, &stream);
		while (!err && (err = source_next(source, &item)) > 0) {
			log_item(&log, &item);
			err = 0;
		}
		memset(log.known, 0, KNOWN * sizeof(*log.known));
	}
	end = log.truth ? truth_finish(log.truth) : 0;
	free(log.known);
	return err ? err : end ? end : log.insns;
}

/* The first instruction of @item, as number @n. */
static void tarmac_line(FILE *f, uint32_t cpu, int64_t n, const struct source_item *item)
{
	bool skipped = item->n_insn == 1 && item->how == SOURCE_SKIPPED;
	static const char isa[][2] = { "O", "A", "T", "-" };
	const uint8_t *p = source_code(item);
	uint32_t size = match_bytes(item, 1);

	fprintf(f, "%" PRId64 " clk cpu%u %s (%" PRId64 ") %08" PRIx64 " ", n, cpu,
		skipped ? "IS" : "IT", n, item->addr);
	if (size == 2)
		fprintf(f, "%02x%02x", p[1], p[0]);
	else if (item->isa == CSF_T32)
		fprintf(f, "%02x%02x%02x%02x", p[1], p[0], p[3], p[2]);
	else
		fprintf(f, "%02x%02x%02x%02x", p[3], p[2], p[1], p[0]);
	fprintf(f, " %s EL0t_n : X\n", isa[item->isa & 3]);
}

int64_t match_log_tarmac(struct source *source, FILE *f, int64_t max)
{
	struct source_stream stream;
	struct source_item item;
	int64_t n = 0;
	int err = 0;

	for (size_t i = 0; !err && source_stream(source, i, &stream); i++) {
		err = source_start(source, &stream);
		while (!err && n < max && (err = source_next(source, &item)) > 0) {
			err = 0;
			if (item.kind != SOURCE_INSN)
				continue;
			for (uint32_t left = item.n_insn; left; left--) {
				tarmac_line(f, stream.number, ++n, &item);
				if (left > 1)
					match_trim(&item, 1);
			}
		}
	}
	return err ? err : n;
}

/* ---------------------------------------------------------------- items by dictation */

#define BLOCK_MAX	64

struct script {
	char *words, *at;
	uint32_t code[4096];
	uint32_t n_code;
};

static void script_close(struct source *s)
{
	struct script *p = s->own;

	free(p->words);
	free(p);
}

static bool script_stream(struct source *s, size_t n, struct source_stream *stream)
{
	return !n;
}

static int script_start(struct source *s, const struct source_stream *stream)
{
	struct script *p = s->own;

	p->at = p->words;
	p->n_code = 0;
	return 0;
}

static void script_insn(struct script *p, struct source_item *item, const char *words)
{
	unsigned long long addr = 0;
	unsigned int n = 1;
	char other = 0;

	if (sscanf(words, "i %llx%c %u", &addr, &other, &n) < 1 || n > BLOCK_MAX ||
	    p->n_code + n > 4096)
		abort();
	item->kind = SOURCE_INSN;
	item->has_addr = true;
	item->addr = addr;
	item->n_insn = n;
	item->size = 4 * n;
	item->code = (const uint8_t *)&p->code[p->n_code];
	for (unsigned int i = 0; i < n; i++)
		p->code[p->n_code++] = addr + 4 * i + (other == '!' && i == n - 1);
}

static struct tarmac_text text(const char *p)
{
	return (struct tarmac_text){ p, strcspn(p, " ") };
}

/* Name and digits are the second and third word. */
static void script_record(struct source_item *item, char *words)
{
	char *second = strchr(words, ' ') + 1, *third = strchr(second, ' ');

	item->kind = *words == 'r' ? SOURCE_REG : SOURCE_MEM;
	item->digits = text(third + 1);
	if (*words == 'r') {
		item->name = text(second);
		return;
	}
	item->addr = strtoull(second, NULL, 16);
	item->has_addr = true;
	item->write = true;
	item->n = item->digits.n / 2;
}

static void script_named(struct source_item *item, const char *words)
{
	const char *name = strchr(words, ' ') + 1;

	if (*words == 'g') {
		item->kind = SOURCE_GAP;
		while (strcmp(csf_gap_name(item->value), name))
			item->value++;
	} else {
		item->kind = SOURCE_LOST;
		while (strcmp(truth_lost_name(item->value), name))
			item->value++;
	}
}

static void script_number(struct source_item *item, const char *words)
{
	static const struct {
		const char *word;
		enum source_kind kind;
	} kinds[] = {
		{ "cut", SOURCE_CUT }, { "q", SOURCE_Q }, { "found", SOURCE_FOUND },
		{ "tm", SOURCE_TM }, { "e", SOURCE_EVENT }, { "task", SOURCE_TASK },
		{ "context", SOURCE_CONTEXT }, { "exception", SOURCE_EXCEPTION },
	};
	unsigned long long value = 0, addr = 0;
	char word[16] = "";
	size_t i = 0;

	if (sscanf(words, "%15s %lli %llx", word, (long long *)&value, &addr) < 1)
		abort();
	while (strcmp(word, kinds[i].word))
		i++;
	item->kind = kinds[i].kind;
	item->value = value;
	item->tid = value;
	item->addr = addr;
	item->has_addr = addr != 0;
	item->context = (struct csf_context){ .known = true, .bits64 = true, .contextid = value,
					      .has_contextid = value != 0 };
}

static int script_next(struct source *s, struct source_item *item)
{
	struct script *p = s->own;
	char *words;

	source_item(item, SOURCE_INSN);
	do {
		words = strsep(&p->at, ";");
		while (words && *words == ' ')
			words++;
	} while (words && !*words);
	if (!words)
		return 0;
	while (*words && words[strlen(words) - 1] == ' ')
		words[strlen(words) - 1] = '\0';
	if (*words == 'i')
		script_insn(p, item, words);
	else if (*words == 'r' || *words == 'm')
		script_record(item, words);
	else if (*words == 'g' || *words == 'l')
		script_named(item, words);
	else
		script_number(item, words);
	return 1;
}

static const struct source_ops script_ops = {
	.name = "script", .close = script_close, .stream = script_stream, .start = script_start,
	.next = script_next,
};

struct source *match_log_script(enum source_format format, const char *script)
{
	struct source *s = calloc(1, sizeof(*s));
	struct script *p = calloc(1, sizeof(*p));

	if (!s || !p)
		abort();
	s->ops = &script_ops;
	s->format = format;
	s->by = SOURCE_CPU;
	s->own = p;
	p->words = strdup(script);
	p->at = p->words;
	return s;
}
