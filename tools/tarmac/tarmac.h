/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tarmac: one line of text for each thing that a processor did.
 *
 * A record is a parsed line.  Documentation/format/tarmac.rst has the grammar.
 * Texts point into the line, so a record is valid as long as its line is.
 */
#ifndef CSF_TARMAC_H
#define CSF_TARMAC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Borrowed, not ended by a zero; n 0: there is none. */
struct tarmac_text {
	const char *p;
	size_t n;
};

static inline bool tarmac_text_is(struct tarmac_text t, const char *word)
{
	return t.n == strlen(word) && !memcmp(t.p, word, t.n);
}

enum tarmac_kind {
	TARMAC_TEXT,		/* none of the others */
	TARMAC_HEADER,		/* Tarmac Text Rev 3t */
	TARMAC_INST,		/* IT, IS, IF, ES */
	TARMAC_FLOW,		/* FD, FI, FR */
	TARMAC_REG,		/* R */
	TARMAC_MEM,		/* M, R01.., W01.. */
	TARMAC_UPDATE,		/* MU */
	TARMAC_DIAGRAM,		/* LD, ST and what continues them */
	TARMAC_BUS,		/* B */
	TARMAC_EVENT,		/* E */
	TARMAC_MAINTENANCE,	/* CACHE MAINTENANCE */
	TARMAC_LINE,		/* CACHE id LINE */
	TARMAC_WALK,		/* TTW, TTU */
	TARMAC_TLB,		/* TLB, WALKCACHE */
	TARMAC_SIGNAL,		/* SIGNAL */
	TARMAC_EXCEPTION,	/* EXC, and EXC or Reset instead of an instruction */
	TARMAC_NOTE,		/* a message with its source, TUBE, Warning: */
	TARMAC_NR
};

/* "inst" for TARMAC_INST and so on. */
const char *tarmac_kind_name(enum tarmac_kind kind);

enum tarmac_unit { TARMAC_NO_UNIT, TARMAC_CLK, TARMAC_NS, TARMAC_US, TARMAC_PS, TARMAC_CS,
		   TARMAC_CYC, TARMAC_TIC, TARMAC_UNIT_NR };
enum tarmac_isa { TARMAC_NO_ISA, TARMAC_A, TARMAC_T, TARMAC_T16, TARMAC_T32, TARMAC_X, TARMAC_O,
		  TARMAC_ISA_NR };
enum tarmac_sec { TARMAC_SEC_NONE, TARMAC_SEC_S, TARMAC_SEC_NS };

extern const char *const tarmac_unit_name[TARMAC_UNIT_NR];
extern const char *const tarmac_isa_name[TARMAC_ISA_NR];

/**
 * struct tarmac_addr - va[:pa[_NS][,pa2[_NS]]]
 * @pa2: that of the second half of a T32 instruction on two pages
 * @n_pa: number of physical addresses, 0..2
 * @sec: enum tarmac_sec of each
 */
struct tarmac_addr {
	uint64_t va, pa, pa2;
	uint8_t n_pa;
	uint8_t sec, sec2;
};

/**
 * struct tarmac_value - digits, most significant first
 * @text: as written: groups, with '_', ':' or blanks between them
 * @low: the lowest 64 bits; unknown digits are 0
 * @known: the known bits of @low
 * @kept: the bits of @low that were not written ('-'); other unknown bits are 'x'
 * @digits: of 4 bits each; may be over 16
 */
struct tarmac_value {
	struct tarmac_text text;
	uint64_t low, known, kept;
	uint32_t digits;
};

/* The digits alone, in lower case, '0'..'f', 'x', '-'.  Return: how many were written to @buf. */
size_t tarmac_value_digits(const struct tarmac_value *value, char *buf, size_t max);

enum tarmac_how { TARMAC_IT, TARMAC_IS, TARMAC_IF, TARMAC_ES };

extern const char *const tarmac_how_name[];

/**
 * struct tarmac_inst - an instruction
 * @opcode: T32 of 4 bytes: first halfword << 16 | second
 * @id: its number, with @has_id
 * @base: the first part of a two-part number, "(base:id)", with @has_base
 * @how: enum tarmac_how; @skipped: its condition failed
 * @isa: enum tarmac_isa
 * @digits: number of digits of the opcode; 0: it could not be fetched
 * @hex_id: @id is hexadecimal
 * @mode: "EL1h", "svc"; @security: "s", "ns", "n", ...
 */
struct tarmac_inst {
	struct tarmac_addr addr;
	uint64_t opcode, id, base;
	uint8_t how, isa, digits;
	bool skipped, has_id, has_base, hex_id;
	struct tarmac_text mode, security, disasm;
};

/* FD, FI, FR: @how is the letter */
struct tarmac_flow {
	struct tarmac_addr from, to;
	uint64_t id;
	bool has_id;
	char how;
	uint8_t isa;
};

/**
 * struct tarmac_reg - a written register
 * @name: as written; for a system operation "CISW", with @sysop "DC"
 * @extra: the text in parentheses
 * @hi: with @has_range: bits <hi:lo> of it; @lo
 * @rest: text after the value
 */
struct tarmac_reg {
	struct tarmac_text sysop, name, extra, rest;
	struct tarmac_value value;
	bool has_range;
	uint16_t hi, lo;
};

/**
 * struct tarmac_mem - memory read or written
 * @tag: as written, "MR4X", "R04"
 * @extra: the text in parentheses
 * @size: bytes; 0: not in the tag
 * @write: written, not read
 * @exclusive: tag X; @unprivileged: T; @locked: L
 * @memory_order: @data is in memory order, lowest address first, not in register order
 * @no_data: an abort, or a TRANSFER: the data is unknown, and @data is empty
 * @rest: of TRANSFER: its text
 */
struct tarmac_mem {
	struct tarmac_addr addr;
	struct tarmac_value data;
	struct tarmac_text tag, extra, rest;
	uint8_t size;
	bool write, exclusive, unprivileged, locked, memory_order, no_data, transfer;
};

/* MU8_ADD: @op "ADD" */
struct tarmac_update {
	struct tarmac_addr addr;
	struct tarmac_value data;
	struct tarmac_text op;
	uint8_t size;
};

enum tarmac_byte { TARMAC_BYTE_NONE, TARMAC_BYTE_HIDDEN, TARMAC_BYTE };

/**
 * struct tarmac_diagram - 16 bytes of memory, some of them accessed
 * @byte: by address, @addr.va + 0 first; @state: enum tarmac_byte of each: not accessed,
 *        accessed but not shown, accessed
 * @store: ST, not LD
 * @continued: its line had neither stamp nor type
 * @rest: text after it
 */
struct tarmac_diagram {
	struct tarmac_addr addr;
	uint8_t byte[16], state[16];
	bool store, continued;
	struct tarmac_text rest;
};

/**
 * struct tarmac_bus - a transaction of the bus master
 * @data: in memory order, lowest address first
 * @lock: 'L', 'X' or '_'
 * @inner: five letters or '_', WRCBS; @outer
 */
struct tarmac_bus {
	struct tarmac_text master, inner, outer;
	uint64_t addr;
	struct tarmac_value data;
	uint8_t size;
	char lock;
	bool write, fetch, privileged, nonsecure;
};

/**
 * struct tarmac_event - an exception, a change of mode, ...
 * @value: with @numbered; else the event is @desc and free text @rest
 * @value1: with @has_value1
 * @number: 1: reset, ... 0x19: change of mode
 */
struct tarmac_event {
	struct tarmac_addr value;
	uint64_t value1, number;
	struct tarmac_text mode, desc, rest;
	bool numbered, has_value1;
	uint8_t value1_digits;
};

/* @what: side, operation and scope; @data: address, or plain number */
struct tarmac_maintenance {
	struct tarmac_text what, size, memtype;
	struct tarmac_addr data;
};

struct tarmac_line {
	struct tarmac_text cache, op;
	uint64_t line, pa;
	uint8_t line_digits, sec;
};

/* @update: TTU; @attr: name=value ..., see tarmac_attr() */
struct tarmac_walk {
	struct tarmac_text side, format, result, attr;
	uint64_t addr;
	struct tarmac_value data;
	uint32_t stage, level;
	bool update;
};

/**
 * struct tarmac_tlb - an entry of a TLB or walk cache filled or evicted
 * @cache: its name; @walk: WALKCACHE
 * @base: virtual address; @sec of it
 * @regime: "EL1_n"; may be missing
 * @pa: with FILL, and @pa_sec, @memtype, @attr
 */
struct tarmac_tlb {
	struct tarmac_text cache, size, regime, memtype, attr;
	uint64_t base, pa;
	uint32_t vmid, asid;
	uint8_t sec, pa_sec;
	bool walk, evict, has_vmid, nonglobal;
};

/* @name: "ResetHold"; @state: 'Y', 'N', 0: not in this form, see @text */
struct tarmac_signal {
	struct tarmac_text name, text;
	char state;
};

/* @how: enum tarmac_how with @inst, else it is EXC; @reset: "Reset" instead of "EXC" */
struct tarmac_exception {
	struct tarmac_text text;
	uint8_t how;
	bool inst, reset;
};

/* @colon: after @name; @continued: continues the previous line, without a name */
struct tarmac_note {
	struct tarmac_text name, text;
	bool colon, continued;
};

/**
 * struct tarmac_record - a line
 * @kind: enum tarmac_kind, which tells the valid member
 * @has_time: the line has one; else @time, @fraction and @unit are those of the previous line
 * @fraction: digits after the point
 * @has_cpu: the line names one; else @cpu is that of the previous line
 * @cpu: see tarmac_cpu_name()
 * @binary: with @wrong: it has bytes that are not text
 * @text: TARMAC_TEXT, TARMAC_HEADER: the text; else the record without stamp and processor
 * @wrong: TARMAC_TEXT: the error, if it should be a record, or NULL
 * @word: with @wrong: its first word; @at: where parsing stopped
 */
struct tarmac_record {
	enum tarmac_kind kind;
	bool has_time, has_cpu, binary;
	uint8_t unit;
	uint32_t cpu;
	uint64_t time;
	struct tarmac_text fraction;
	struct tarmac_text text;
	const char *wrong;
	struct tarmac_text word;
	const char *at;
	union {
		struct tarmac_inst inst;
		struct tarmac_flow flow;
		struct tarmac_reg reg;
		struct tarmac_mem mem;
		struct tarmac_update update;
		struct tarmac_diagram diagram;
		struct tarmac_bus bus;
		struct tarmac_event event;
		struct tarmac_maintenance maintenance;
		struct tarmac_line line;
		struct tarmac_walk walk;
		struct tarmac_tlb tlb;
		struct tarmac_signal signal;
		struct tarmac_exception exception;
		struct tarmac_note note;
	};
};

/* Takes the next name=value from @rest.  Return: there was one. */
bool tarmac_attr(struct tarmac_text *rest, struct tarmac_text *name, struct tarmac_text *value);

#endif /* CSF_TARMAC_H */
