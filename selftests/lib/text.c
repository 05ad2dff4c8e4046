// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

void text_add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (t->n + n + 1 > t->max) {
		t->max = 2 * (t->n + n + 1);
		t->s = realloc(t->s, t->max);
		if (!t->s)
			abort();
	}
	va_start(args, format);
	vsnprintf(t->s + t->n, n + 1, format, args);
	va_end(args);
	t->n += n;
}

void text_clear(struct text *t)
{
	t->n = 0;
	if (t->s)
		*t->s = 0;
}

void text_fini(struct text *t)
{
	free(t->s);
	memset(t, 0, sizeof(*t));
}

const char *labels_name(const struct labels *labels, uint64_t addr, char *buf)
{
	const struct label *below = NULL;

	for (size_t i = 0; labels && i < labels->n; i++) {
		const struct label *l = &labels->label[i];

		if (l->addr <= addr && addr - l->addr < LABEL_REACH &&
		    (!below || l->addr > below->addr))
			below = l;
	}
	if (!below)
		snprintf(buf, 64, "%#" PRIx64, addr);
	else if (below->addr == addr)
		snprintf(buf, 64, "%s", below->name);
	else
		snprintf(buf, 64, "%s+%" PRIu64, below->name, addr - below->addr);
	return buf;
}

static void print_at(struct text *t, const struct csf_mark *m)
{
	if (m->at != m->seq)
		text_add(t, " at %" PRIu64, m->at);
	if (m->flags & CSF_MARK_EARLY)
		text_add(t, " early");
}

static void print_time(struct text *t, const struct csf_mark *m)
{
	if (m->flags & CSF_MARK_UNKNOWN)
		text_add(t, "time unknown");
	else
		text_add(t, "time %#" PRIx64, m->value);
	if (m->flags & CSF_MARK_HAS_COUNT)
		text_add(t, " cycles %u", m->count);
	print_at(t, m);
}

static void print_words(struct text *t, uint32_t flags, const char *const *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (flags >> i & 1 && word[i])
			text_add(t, " %s", word[i]);
}

static void print_access(struct text *t, const struct labels *labels, const struct csf_mark *m,
			 const struct csf_access *a)
{
	static const char *const before[] = { "read", "write", [6] = "register", [7] = "entry" };
	static const char *const after[] = {
		[5] = "big", [8] = "failed", "late", "untraced", "lost",
	};
	char name[64];

	text_add(t, "data");
	print_words(t, a->flags, before, 8);
	if (a->addr_bits)
		text_add(t, " %#" PRIx64, a->addr);
	if (a->addr_bits && a->addr_bits < 32)
		text_add(t, "/%u", a->addr_bits);
	if (a->flags & CSF_ACCESS_NEXT)
		text_add(t, " next");
	if (a->flags & CSF_ACCESS_VALUE)
		text_add(t, " = %#" PRIx64, a->value);
	if (a->size)
		text_add(t, " size %u", a->size);
	if (a->number)
		text_add(t, " number %u", a->number);
	print_words(t, a->flags, after, 12);
	if (!(a->flags & CSF_ACCESS_INSN))
		return;
	text_add(t, " of %s", labels_name(labels, a->insn, name));
	print_at(t, m);
}

/* The place, then the result. */
static void print_cond(struct text *t, const struct labels *labels, const struct csf_mark *m)
{
	static const char *const word[] = { "passed", "failed" };
	char name[64];

	if (m->flags & CSF_MARK_LOST) {
		text_add(t, "cond lost %u", m->count);
		return;
	}
	text_add(t, m->flags & CSF_MARK_NO_INSN ? "cond key %u" : "cond %u", m->count);
	if (m->value)
		text_add(t, " %s", labels_name(labels, m->value & ~1ull, name));
	if (m->value & 1)
		text_add(t, " t32");
	for (int i = 0; i < 2; i++)
		if (m->flags & CSF_MARK_PASSED << i)
			text_add(t, " %s", word[i]);
	if (m->flags & CSF_MARK_APSR) {
		text_add(t, " ");
		for (int i = 0; i < 4; i++)
			text_add(t, "%c", m->flags >> (11 - i) & 1 ? "NZCV"[i] : "nzcv"[i]);
	}
	if (m->flags & CSF_MARK_NO_RESULT)
		text_add(t, " no-result");
	if (m->flags & CSF_MARK_BAD_KEY)
		text_add(t, " bad-key");
	print_at(t, m);
}

static void print_mark(struct text *t, const struct labels *labels, const struct csf_mark *m,
		       const struct csf_access *access)
{
	char name[64];

	switch (m->kind) {
	case CSF_MARK_TIME:
		print_time(t, m);
		break;
	case CSF_MARK_CYCLES:
		if (m->flags & CSF_MARK_UNKNOWN)
			text_add(t, "cycles unknown");
		else
			text_add(t, "cycles %u", m->count);
		print_at(t, m);
		break;
	case CSF_MARK_EVENT:
		text_add(t, "event %" PRIu64, m->value);
		break;
	case CSF_MARK_ITE:
		text_add(t, "ite el%u %#" PRIx64, m->count, m->value);
		break;
	case CSF_MARK_MARKER:
		text_add(t, "marker");
		break;
	case CSF_MARK_SOURCE:
		text_add(t, "source %s %u", labels_name(labels, m->value, name), m->count);
		break;
	case CSF_MARK_WALK:
		text_add(t, "walk %s %u", labels_name(labels, m->value, name), m->count);
		break;
	case CSF_MARK_Q:
		text_add(t, "q %" PRIu64 " %u", m->value, m->count);
		break;
	case CSF_MARK_ERET:
		text_add(t, "eret");
		break;
	case CSF_MARK_RETURN:
		text_add(t, "return");
		break;
	case CSF_MARK_SAME:
		text_add(t, "same");
		break;
	case CSF_MARK_INFO:
		text_add(t, "info");
		break;
	case CSF_MARK_PACKET:
		text_add(t, "packet");
		break;
	case CSF_MARK_DATA:
		print_access(t, labels, m, access);
		break;
	case CSF_MARK_COND:
		print_cond(t, labels, m);
		break;
	default:
		text_add(t, "mark %#x", m->kind);
	}
}

static void print_context(struct text *t, const struct csf_context *c)
{
	static const char *const security[] = { "s", "ns", "root", "realm" };

	text_add(t, "context el%u %s %d", c->el, security[c->security & 3], c->bits64 ? 64 : 32);
	if (c->has_vmid)
		text_add(t, " vmid %#x", c->vmid);
	if (c->has_contextid)
		text_add(t, " cid %#x", c->contextid);
}

static void print_exception(struct text *t, const struct labels *labels, const struct csf_run *e)
{
	static const struct { unsigned int flag; const char *word; } flag[] = {
		{ CSF_EXC_TARGET, "target" },
		{ CSF_EXC_INSIDE, "inside" },
		{ CSF_EXC_UNRELIABLE, "unreliable" },
		{ CSF_EXC_FAULT_PENDING, "fault-pending" },
	};
	char name[64];

	text_add(t, "exception 0x%02" PRIx64 " ", e->value);
	text_add(t, "%s", e->flags & CSF_EXC_NO_ADDR ? "no-addr" :
		 labels_name(labels, e->addr, name));
	for (size_t i = 0; i < sizeof(flag) / sizeof(*flag); i++)
		if (e->flags & flag[i].flag)
			text_add(t, " %s", flag[i].word);
}

static void print_gap(struct text *t, const struct labels *labels, const struct csf_run *e)
{
	bool more = e->flags & CSF_GAP_MORE;
	char name[64];

	text_add(t, "gap%s %s", more ? "-more" : "", csf_gap_name(e->value));
	if (e->flags & CSF_GAP_RETURN)
		text_add(t, " return");
	else if (!more && (e->value == CSF_GAP_IMAGE || e->value == CSF_GAP_WALK))
		text_add(t, " %s", labels_name(labels, e->addr, name));
	if (!more && e->value == CSF_GAP_WALK)
		text_add(t, " from %s", labels_name(labels, e->from, name));
	if (e->flags & CSF_GAP_NOT_TAKEN)
		text_add(t, " not taken");
	if (e->lost)
		text_add(t, " lost %" PRIu64, e->lost);
	if (e->bytes)
		text_add(t, " bytes %" PRIu64, e->bytes);
	if (e->flags & CSF_GAP_GOES_ON)
		text_add(t, " goes on");
}

static void print_end(struct text *t, const struct labels *labels, const struct csf_run *e)
{
	static const char *const trans[] = { "init", "start", "commit", "fail" };
	char name[64];

	switch ((enum csf_end_kind)e->end) {
	case CSF_END_CODE:
		text_add(t, "code? %#llx", (unsigned long long)e->addr);
		break;
	case CSF_END_FULL:
		text_add(t, "full");
		break;
	case CSF_END_CONTEXT:
		print_context(t, &e->to);
		break;
	case CSF_END_EXCEPTION:
		print_exception(t, labels, e);
		break;
	case CSF_END_TRANSACTION:
		text_add(t, "trans %s", trans[e->value & 3]);
		break;
	case CSF_END_Q:
		text_add(t, "q from %s", labels_name(labels, e->from, name));
		text_add(t, " to %s", labels_name(labels, e->addr, name));
		if (e->value)
			text_add(t, " n %" PRIu64, e->value);
		break;
	case CSF_END_GAP:
		print_gap(t, labels, e);
		break;
	case CSF_END_TIME:
		text_add(t, "limit");
		break;
	case CSF_END_TRACE:
		text_add(t, "end");
		break;
	}
}

void flow_print(struct text *t, const struct labels *labels, const struct flow_event *event)
{
	char name[64];

	switch (event->kind) {
	case FLOW_STEP:
		text_add(t, "%s %u %s", labels_name(labels, event->addr, name), event->n_insn,
			 event->cut ? "-" : event->taken ? "E" : "N");
		break;
	case FLOW_MARK:
		print_mark(t, labels, &event->mark, &event->access);
		break;
	case FLOW_END:
		print_end(t, labels, &event->end);
		break;
	}
	text_add(t, "\n");
}
