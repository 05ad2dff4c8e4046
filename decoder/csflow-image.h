/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Code: instructions, images and blocks: part of csflow.h, which includes it.
 */
#ifndef CSFLOW_IMAGE_H
#define CSFLOW_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CSF_API
#include "csflow.h"
#endif

/* ---------------------------------------------------------------- instructions */

enum csf_isa { CSF_A64, CSF_A32, CSF_T32 };

/**
 * enum csf_insn_kind - what an instruction means to instruction trace
 * @CSF_INSN_OTHER: nothing: execution goes on after it
 * @CSF_INSN_BRANCH: direct branch
 * @CSF_INSN_INDIRECT: branch whose target only the trace can tell
 * @CSF_INSN_ISB: instruction synchronisation barrier
 * @CSF_INSN_WFX: WFI, WFE, WFIT, WFET
 * @CSF_INSN_TSTART: start of a transaction
 * @CSF_INSN_LOAD: load, or load and store
 * @CSF_INSN_STORE: store
 * @CSF_INSN_BARRIER: DSB, DMB
 * @CSF_INSN_EXCEPTION: SVC, HVC, SMC, TENTER: takes no atom, an exception packet follows
 */
enum csf_insn_kind {
	CSF_INSN_OTHER,
	CSF_INSN_BRANCH,
	CSF_INSN_INDIRECT,
	CSF_INSN_ISB,
	CSF_INSN_WFX,
	CSF_INSN_TSTART,
	CSF_INSN_LOAD,
	CSF_INSN_STORE,
	CSF_INSN_BARRIER,
	CSF_INSN_EXCEPTION,
};

/* struct csf_insn.flags and struct csf_block.flags */
#define CSF_FLAG_P0	0x01	/* takes an atom under the given rule */
#define CSF_FLAG_COND	0x02	/* need not be taken; in T32, for a reason other than IT */
#define CSF_FLAG_LINK	0x04	/* pushes the return stack */
#define CSF_FLAG_RET	0x08	/* a return by its form (RET, BX LR, POP {pc}) */
#define CSF_FLAG_ERET	0x10	/* an exception return */
#define CSF_FLAG_SVC	0x20	/* CSF_INSN_EXCEPTION: it is SVC, not HVC or SMC */
#define CSF_FLAG_CUT	0x40	/* blocks: part of a block; takes no atom */
#define CSF_FLAG_THUMBEE 0x80	/* CSF_INSN_INDIRECT: it goes on in ThumbEE state: ENTERX */

/* @rule of csf_insn(): the instructions that take an atom besides branches, ISB and TSTART */
#define CSF_RULE_WFX	0x01	/* WFI and its relatives: TRCIDR2.WFXMODE */
#define CSF_RULE_LOAD	0x02	/* loads: TRCCONFIGR.INSTP0 */
#define CSF_RULE_STORE	0x04	/* stores */
#define CSF_RULE_M	0x08	/* M profile: loop and branch future instructions exist */
#define CSF_RULE_BARRIER	0x10	/* DSB, DMB: ETMCCER bit 24 of a PTM */
#define CSF_RULE_EACH	0x20	/* all instructions: ETMv3 */
#define CSF_RULE_TAKEN	0x40	/* not ISB: MTB, which traces only branches that were taken */
#define CSF_RULE_THUMBEE 0x80	/* ENTERX, LEAVEX: PTM */

/**
 * struct csf_insn - one instruction, classified
 * @target: CSF_INSN_BRANCH: its target when taken
 * @kind: enum csf_insn_kind
 * @flags: CSF_FLAG_x
 * @size: bytes, 2 or 4
 * @target_isa: enum csf_isa at @target
 */
struct csf_insn {
	uint64_t target;
	uint8_t kind;
	uint8_t flags;
	uint8_t size;
	uint8_t target_isa;
};

/**
 * csf_insn() - classify an instruction
 * @insn: the answer
 * @opcode: A64, A32: the word; T32: the halfword, or first halfword << 16 | second
 * @pc: its address
 * @isa: enum csf_isa
 * @rule: CSF_RULE_x or-ed
 *
 * Source: ARM DDI 0487, chapters C4 and F3, F4; ARM DDI 0553 for M profile.
 */
CSF_API void csf_insn(struct csf_insn *insn, uint32_t opcode, uint64_t pc, enum csf_isa isa,
		      uint32_t rule);

/* ---------------------------------------------------------------- image */

/*
 * The address space whose maps are visible in every other space where that space maps nothing: the
 * kernel's.  Spaces of csf_space_alone() do not see it.
 */
#define CSF_SPACE_ALL	0

/**
 * typedef csf_read_fn - read code of a section
 * @context: as given to csf_section_read()
 * @offset: offset in the section
 * @buf: buffer to fill; bytes are in memory order, opcodes little-endian
 * @n: bytes wanted
 *
 * Return: bytes read; fewer than @n only where code ends; 0: no code at @offset.
 */
typedef size_t (*csf_read_fn)(void *context, uint64_t offset, void *buf, size_t n);

/**
 * typedef csf_insn_fn - a classifier that replaces csf_insn()
 * @context: as given to csf_image_classifier(); the other parameters are those of csf_insn()
 */
typedef void (*csf_insn_fn)(void *context, struct csf_insn *insn, uint32_t opcode, uint64_t pc,
			    enum csf_isa isa, uint32_t rule);

/*
 * An image holds sections of code (the bytes of a program, a library, a page of JIT code) and says
 * which section is mapped where, in which address space and when.  Code is decoded once, however
 * many spaces map the same part of its section.
 *
 * Code that changed is a new section: map the new section from that time on.  The library reads
 * each byte of a section only once, so the caller must do this whenever code changes.
 * csf_section_stale() makes the library forget a section at once.
 */

/* Return: 0, CSF_ERR_MEMORY. */
CSF_API int csf_image_new(struct csf_image **image);

/* No decoder may use @image any more.  NULL is fine. */
CSF_API void csf_image_free(struct csf_image *image);

/* Call this before the first section is added.  @fn must be pure; NULL: csf_insn(). */
CSF_API void csf_image_classifier(struct csf_image *image, csf_insn_fn fn, void *context);

/**
 * csf_section_bytes() - a section whose code is in memory
 * @code: borrowed: must stay valid and unchanged as long as the image exists
 *
 * Return: number of the section, > 0; or CSF_ERR_ARG (@n is 0 or over 4 GiB), CSF_ERR_MEMORY.
 */
CSF_API int csf_section_bytes(struct csf_image *image, const void *code, size_t n);

/**
 * csf_section_read() - a section whose code is read when first needed
 * @n: size of the section, up to 4 GiB
 * @fn: called at most once for each byte, by the thread that needs it, under a lock
 *
 * Return: as csf_section_bytes().
 */
CSF_API int csf_section_read(struct csf_image *image, uint64_t n, csf_read_fn fn, void *context);

/**
 * typedef csf_whole_fn - all code of a section, in place
 * @context: as given to csf_section_read()
 * @code: set to the first byte; borrowed: all bytes must stay valid and unchanged as long as the
 *        image exists, or until csf_section_stale()
 *
 * Return: number of bytes; smaller than the section only where code ends; 0: the code is not
 * available in one piece.
 */
typedef size_t (*csf_whole_fn)(void *context, const void **code);

/**
 * csf_section_whole() - use code in memory without reading it
 * @section: from csf_section_read(), before any of its code was needed
 * @fn: called once, under a lock, when code is first needed, and again after csf_section_stale();
 *      if it returns 0, the code is read.  NULL (the default): the code is read.
 *
 * For code in memory whose place is not known, or not worth finding, before it is needed.  No page
 * of it is copied, and threads that decode ahead need not stop at code that has not been read.
 *
 * Return: 0; or CSF_ERR_ARG: @section is of another kind.
 */
CSF_API int csf_section_whole(struct csf_image *image, int section, csf_whole_fn fn);

/*
 * Forgets what was decoded of @section: its code is read again when it is next needed.
 *
 * Return: 0; CSF_ERR_ARG: there is no such section.
 */
CSF_API int csf_section_stale(struct csf_image *image, int section);

/**
 * typedef csf_page_fn - called when code is needed where nothing is mapped
 * @context: as given to csf_image_pager()
 * @space: address space
 * @addr: address of the code
 *
 * It may map something with csf_map_more().
 *
 * Return: true if it mapped something.
 */
typedef bool (*csf_page_fn)(void *context, int space, uint64_t addr);

/* The thread that decodes calls @fn, without a lock.  NULL (the default): there is no pager. */
CSF_API void csf_image_pager(struct csf_image *image, csf_page_fn fn, void *context);

/* Adds an address space.  Return: its number, > 0; or CSF_ERR_MEMORY. */
CSF_API int csf_space_new(struct csf_image *image);

/* As csf_space_new(), but CSF_SPACE_ALL is not visible in it: for a guest with its own kernel. */
CSF_API int csf_space_alone(struct csf_image *image);

/**
 * csf_map() - map part of a section
 * @space: address space, or CSF_SPACE_ALL
 * @addr: first address; @addr - @offset must be a multiple of 4
 * @n: bytes; must not reach past the end of the section
 * @section: the section
 * @offset: offset of the first byte in the section
 *
 * A block ends where the visible part of the section ends; execution goes on in what is mapped next
 * to it.  Adjacent parts of one section form one piece.
 *
 * The new map replaces what the space had mapped there.  A section has one place in a space: bytes
 * that are mapped twice in a space need two sections.
 *
 * Return: 0, CSF_ERR_ARG, CSF_ERR_MEMORY.
 */
CSF_API int csf_map(struct csf_image *image, int space, uint64_t addr, uint64_t n, int section,
		    uint64_t offset);

/**
 * csf_map_more() - as csf_map(), for addresses at which the space has no map
 *
 * For a pager.  Unlike csf_map(), it leaves valid what decoders remember of addresses.
 *
 * Return: as csf_map(); CSF_ERR_ARG also if something is mapped there, at any time.
 */
CSF_API int csf_map_more(struct csf_image *image, int space, uint64_t addr, uint64_t n,
			 int section, uint64_t offset);

/*
 * As csf_map(), valid from time @from up to but not including @until; UINT64_MAX: for ever.  See
 * csf_set_time().
 */
CSF_API int csf_map_span(struct csf_image *image, int space, uint64_t addr, uint64_t n,
			 int section, uint64_t offset, uint64_t from, uint64_t until);

/*
 * Removes what @space has mapped in @n bytes from @addr on, at all times.  Parts of maps outside
 * stay.
 *
 * Return: 0; CSF_ERR_ARG: no such space, or an invalid range; CSF_ERR_MEMORY.
 */
CSF_API int csf_unmap(struct csf_image *image, int space, uint64_t addr, uint64_t n);

/**
 * csf_image_find() - find the section that is mapped at an address
 * @base: address of offset 0 of the section in this space; may be NULL
 *
 * Return: number of the section; 0 if no section is mapped there; CSF_ERR_ARG: no such space.
 */
CSF_API int csf_image_find(struct csf_image *image, int space, uint64_t addr, uint64_t time,
			   uint64_t *base);

/* Reads code.  Return: bytes read, fewer than @n at the end of what is mapped or known. */
CSF_API size_t csf_image_read(struct csf_image *image, int space, uint64_t addr, uint64_t time,
			      void *buf, size_t n);

/**
 * struct csf_block - instructions that are executed one after the other
 * @offset: offset of the first instruction, in @section
 * @target: CSF_INSN_BRANCH: offset of the target in @section; may be outside it
 * @section: number of the section
 * @size: bytes
 * @n_insn: instructions, 1..1024
 * @kind: enum csf_insn_kind of the last instruction
 * @flags: CSF_FLAG_x of the last instruction; CSF_FLAG_CUT
 * @last_size: bytes of the last instruction, 2 or 4
 * @isa: enum csf_isa
 * @target_isa: enum csf_isa at @target
 *
 * A block ends with the first instruction that takes an atom.  Where execution or code stops
 * earlier, the part before that is a block too, a cut block: it takes no atom and is never taken.
 */
struct csf_block {
	int64_t offset;
	int64_t target;
	uint32_t section;
	uint32_t size;
	uint16_t n_insn;
	uint8_t kind;
	uint8_t flags;
	uint8_t last_size;
	uint8_t isa;
	uint8_t target_isa;
};

/*
 * The number of blocks.  Block numbers are dense: 1 up to and including this number.  They mean
 * nothing outside this image: never store, sort or print them.
 */
CSF_API uint32_t csf_block_count(const struct csf_image *image);

/* Return: 0; CSF_ERR_ARG: there is no block of this number, and @block is zeroed. */
CSF_API int csf_block(const struct csf_image *image, uint32_t number, struct csf_block *block);

/* The parts of a step, see csf_run.step.  Those of a path are in csf_path(). */
static inline uint32_t csf_step_block(uint32_t step)
{
	return step >> 1;
}

static inline bool csf_step_taken(uint32_t step)
{
	return step & 1;
}

/*
 * Paths: sequences of steps that are executed again and again.  A path is reported as one step to a
 * caller that asks for paths with csf_ask_paths().  Path numbers are dense, from 1, and mean
 * nothing outside this image.
 */
#define CSF_PATH	0x80000000u	/* csf_run.step: a path; the other bits are its number */

static inline bool csf_step_is_path(uint32_t step)
{
	return step & CSF_PATH;
}

/* The number of paths, which is also the greatest path number. */
CSF_API uint32_t csf_path_count(const struct csf_image *image);

/**
 * csf_path() - the steps of a path
 * @step: as in csf_run.step, or a number
 * @steps: set to its steps, none of which is a path; they stay valid as long as the image
 *
 * Return: number of steps; 0: there is no such path.
 */
CSF_API size_t csf_path(const struct csf_image *image, uint32_t step, const uint32_t **steps);

#endif /* CSFLOW_IMAGE_H */
