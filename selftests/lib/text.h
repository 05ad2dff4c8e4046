/* SPDX-License-Identifier: GPL-2.0-only */
/* Text that grows, and flow in words: what cases expect, and what a decoder is made to say. */
#ifndef TEXT_H
#define TEXT_H

#include "../../decoder/csflow.h"

/**
 * struct text - a string that grows
 * @s: owned; ends with 0 once anything was added
 */
struct text {
	char *s;
	size_t n, max;
};

void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_clear(struct text *t);
void text_fini(struct text *t);

struct label {
	char name[32];
	uint64_t addr;
};

/* Names for addresses: that of the label at an address, or of the nearest one below. */
struct labels {
	const struct label *label;
	size_t n;
};

/* A label that is further below does not name an address. */
#define LABEL_REACH	0x2000

/* "label", "label+8" or "0x1008"; returns @buf, of 64 bytes. */
const char *labels_name(const struct labels *labels, uint64_t addr, char *buf);

enum flow_kind { FLOW_STEP, FLOW_MARK, FLOW_END };

/**
 * struct flow_event - one line of flow
 * @kind: which of the following counts
 * @offset: of the packet it comes from
 * @addr: STEP: first instruction
 * @n_insn: STEP
 * @cut: STEP: takes no atom
 * @taken: STEP
 * @mark: MARK; @access: of kind CSF_MARK_DATA
 * @end: END: a run without steps and marks
 */
struct flow_event {
	enum flow_kind kind;
	uint64_t offset;
	uint64_t addr;
	unsigned int n_insn;
	bool cut;
	bool taken;
	struct csf_mark mark;
	struct csf_access access;
	struct csf_run end;
};

/* Adds the line for @event, without indentation, ending in a newline. */
void flow_print(struct text *t, const struct labels *labels, const struct flow_event *event);

#endif /* TEXT_H */
