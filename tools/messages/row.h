/* SPDX-License-Identifier: GPL-2.0-only */
/* One row of the listing: a message, its source, and what belongs to it. */
#ifndef CSF_MESSAGES_ROW_H
#define CSF_MESSAGES_ROW_H

#include "../../decoder/csflow.h"

struct message_source;
struct syst_message;

/* Kinds that the library does not have.  They follow those that it reads without a csf_reader. */
enum {
	ROW_ITE = CSF_MESSAGE_GAP + 1,	/* instrumentation of an ETE; channel: exception level */
	ROW_TEXT,			/* a line of text, put together */
	ROW_SYST,			/* a message of MIPI SyS-T */
	ROW_NR
};

/* struct row.has */
#define ROW_GLOBAL	0x01
#define ROW_PC		0x02
#define ROW_ADDRESS	0x04

/**
 * struct row - one row; texts are borrowed, until the next row
 * @source: of the message
 * @m: the message; of what is put together, the first that belongs to it
 * @kind: enum csf_message_kind, or one of the above
 * @has: which of the next three are valid
 * @global: the common clock: the last global timestamp before the message
 * @pc: READ, WRITE, ACCESS_ADDR: address of the instruction
 * @address: READ, WRITE: address of the data, of which @n_address bytes are known
 * @text: ROW_TEXT, ROW_SYST: UTF-8, with escapes; else NULL
 * @partial: ROW_TEXT: the line did not end
 * @syst: ROW_SYST: the message
 */
struct row {
	struct message_source *source;
	struct csf_message m;
	uint64_t global, pc, address;
	const char *text;
	const struct syst_message *syst;
	uint8_t kind, has, n_address;
	bool partial;
};

/* "data", "text" and so on. */
const char *row_kind(const struct row *row);

/* The words of all kinds, ended by NULL: the index is the kind. */
extern const char *const row_kinds[];

/* Has this kind a channel, which is a port, a comparator, or a level? */
bool row_has_channel(const struct row *row);

/* Has it a value? */
bool row_has_value(const struct row *row);

/* Words on the value: "entered", "sleep", "cpi fold"; "" if there are none.  They are in @buf. */
#define ROW_WORDS_MAX	96
const char *row_words(const struct row *row, char buf[ROW_WORDS_MAX]);

#endif /* CSF_MESSAGES_ROW_H */
