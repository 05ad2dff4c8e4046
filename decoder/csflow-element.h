/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Generic trace elements.  Part of csflow.h, which includes this file.
 *
 * These are the elements of Arm's reference decoder, which trace tools know: one range of
 * instructions at a time, one event at a time.  They are slower to use than runs, and meant for
 * listings and for programs that are written for such elements.  If csf_config.marks has
 * CSF_MARK_DATA, data accesses are elements, too; likewise CSF_MARK_COND, conditional instructions.
 *
 * Messages of an ITM or an STM are elements by csf_element_message(): SWTRACE.
 */
#ifndef CSFLOW_ELEMENT_H
#define CSFLOW_ELEMENT_H

#ifndef CSF_API
#include "csflow.h"
#endif
enum csf_element_type {
	CSF_ELEM_UNKNOWN,
	CSF_ELEM_NO_SYNC,
	CSF_ELEM_TRACE_ON,
	CSF_ELEM_EO_TRACE,
	CSF_ELEM_PE_CONTEXT,
	CSF_ELEM_INSTR_RANGE,
	CSF_ELEM_I_RANGE_NOPATH,
	CSF_ELEM_ADDR_NACC,
	CSF_ELEM_ADDR_UNKNOWN,
	CSF_ELEM_EXCEPTION,
	CSF_ELEM_EXCEPTION_RET,
	CSF_ELEM_TIMESTAMP,
	CSF_ELEM_CYCLE_COUNT,
	CSF_ELEM_EVENT,
	CSF_ELEM_SWTRACE,
	CSF_ELEM_SYNC_MARKER,
	CSF_ELEM_MEMTRANS,
	CSF_ELEM_INSTRUMENTATION,
	CSF_ELEM_CUSTOM,
	CSF_ELEM_DATA,		/* a data access: Arm's decoder has none */
	CSF_ELEM_CONDITION,	/* a traced conditional instruction: likewise */
};

enum csf_on_reason { CSF_ON_NORMAL, CSF_ON_OVERFLOW, CSF_ON_DEBUG };

/* struct csf_element.flags */
#define CSF_ELEM_EXEC		0x01	/* INSTR_RANGE: the last instruction was executed (E) */
#define CSF_ELEM_COND		0x02	/* INSTR_RANGE: the last instruction is conditional */
#define CSF_ELEM_HAS_CC		0x04	/* @cycle_count is valid */
#define CSF_ELEM_RET_ADDR	0x08	/* EXCEPTION: @en_addr is the preferred return address */
#define CSF_ELEM_RET_BR_TGT	0x10	/* EXCEPTION: it is also the target of the branch before */
#define CSF_ELEM_TAIL_CHAIN	0x20	/* EXCEPTION: M-profile tail chain */
#define CSF_ELEM_HAS_TS		0x40	/* @timestamp is valid */
#define CSF_ELEM_UNTRACED	0x80	/* TRACE_ON, NO_SYNC, EO_TRACE: @st_addr is valid */

/**
 * struct csf_element - a generic trace element
 * @type: enum csf_element_type; it says which of the other fields are valid
 * @offset: offset of its packet, in bytes fed to the decoder; exact only with CSF_MARK_PACKET in
 *          csf_config.marks
 * @st_addr: INSTR_RANGE, I_RANGE_NOPATH: first address; ADDR_NACC: the address without code; with
 *           CSF_ELEM_UNTRACED: the target of the last exception or indirect branch; the code
 *           there was not traced; CONDITION: where its block was entered; 0: not known
 * @en_addr: INSTR_RANGE: address after the last instruction; I_RANGE_NOPATH: where execution goes
 *           on; EXCEPTION: preferred return address
 * @context: PE_CONTEXT: the new context; others: the current context
 * @timestamp: TIMESTAMP, SWTRACE with CSF_ELEM_HAS_TS
 * @value: INSTRUMENTATION, SWTRACE: value; EVENT: mask; NO_SYNC, ADDR_NACC, ADDR_UNKNOWN:
 *         enum csf_gap; TRACE_ON: enum csf_on_reason; MEMTRANS: enum csf_transaction;
 *         EXCEPTION: number; CONDITION: csf_mark.flags of its mark
 * @cycle_count: with CSF_ELEM_HAS_CC
 * @n_insn: INSTR_RANGE, I_RANGE_NOPATH: instructions; CONDITION: csf_mark.count
 * @isa: INSTR_RANGE, PE_CONTEXT, CONDITION
 * @last_kind: enum csf_insn_kind of the last instruction
 * @last_flags: CSF_FLAG_x of the last instruction
 * @last_size: bytes of the last instruction
 * @el: INSTRUMENTATION: exception level
 * @access: DATA: the access, in csf_run.access; else NULL
 * @message: SWTRACE, CUSTOM and what else comes of one: the message; else NULL
 */
struct csf_element {
	uint8_t type;
	uint8_t isa;
	uint8_t last_kind;
	uint8_t last_flags;
	uint8_t last_size;
	uint8_t el;
	uint16_t flags;
	uint64_t offset;
	uint64_t st_addr;
	uint64_t en_addr;
	struct csf_context context;
	uint64_t timestamp;
	uint64_t value;
	uint32_t cycle_count;
	uint32_t n_insn;
	const struct csf_access *access;
	const struct csf_message *message;
};

/**
 * csf_element_message() - make the element of a message
 * @message: borrowed as long as @element is used; NULL: trace ends
 *
 * A gap is NO_SYNC, CSF_MESSAGE_CUSTOM is CUSTOM, CSF_MESSAGE_RANGE is INSTR_RANGE, of which only
 * the addresses are known; all others are SWTRACE.  @value is that of the message, as is @timestamp
 * with CSF_ELEM_HAS_TS.
 */
CSF_API void csf_element_message(struct csf_element *element, const struct csf_message *message);

/* csf_elements.options */
#define CSF_ELEMS_SPLIT	0x01	/* a range for each block that a source address passed (N ranges) */

/**
 * struct csf_elements - iterator over the elements of one decoder's runs; the caller owns it
 *
 * Set it to zero, then set @dec and perhaps @options.  For every run call csf_elements_run(), then
 * csf_elements_next() until that returns 0.
 */
struct csf_elements {
	struct csf_decoder *dec;
	uint32_t options;
	/* private to the library */
	const struct csf_run *run;
	size_t step, mark;
	uint64_t offset;
	struct csf_element range;	/* the range being built; n_insn 0: none */
	uint32_t left;			/* steps left that belong to one range */
	uint16_t group;			/* kind of the mark that says so */
	uint8_t on_reason;
	bool started;
	bool returned;			/* an exception return has still to be reported */
	bool ended;
	bool left_for;			/* no range yet after an exception or indirect branch */
};

/* Begins with @run, borrowed until csf_elements_next() returns 0. */
CSF_API void csf_elements_run(struct csf_elements *it, const struct csf_run *run);

/* Return: 1 and the next element; 0: call csf_elements_run() with the next run. */
CSF_API int csf_elements_next(struct csf_elements *it, struct csf_element *element);

#endif /* CSFLOW_ELEMENT_H */
