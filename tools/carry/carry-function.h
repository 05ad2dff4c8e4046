/* SPDX-License-Identifier: GPL-2.0-only */
/* The code of a function, in pieces that a branch begins or ends. */
#ifndef CSF_CARRY_FUNCTION_H
#define CSF_CARRY_FUNCTION_H

#include "../code/functions.h"
#include "carry-insn.h"

/* No instruction, no piece. */
#define CARRY_NONE	UINT32_MAX

/* Longer ones are not functions. */
#define CARRY_INSNS_MAX	(1u << 22)

/**
 * enum carry_hash - degrees of likeness of a piece
 * @CARRY_SAME_AROUND: struct carry_insn.same, and names of functions that it calls, with the pieces
 *                     around it
 * @CARRY_SAME: the same without these
 * @CARRY_LIKE_AROUND, @CARRY_LIKE: struct carry_insn.like
 * @CARRY_FORM_AROUND, @CARRY_FORM: struct carry_insn.form: a compiler took other registers
 */
enum carry_hash {
	CARRY_SAME_AROUND, CARRY_SAME,
	CARRY_LIKE_AROUND, CARRY_LIKE,
	CARRY_FORM_AROUND, CARRY_FORM,
	CARRY_HASH_NR,
};

/**
 * struct carry_piece - instructions up to a branch, or up to the target of one
 * @first: index of the first of @n instructions
 * @to: the piece that its branch leads to; CARRY_NONE: none in this function
 * @hash: see enum carry_hash
 */
struct carry_piece {
	uint32_t first, n, to;
	uint64_t hash[CARRY_HASH_NR];
};

/**
 * struct carry_function - a function
 * @addr: of its @n instructions
 * @piece: @n_piece of them, in order
 * @piece_of: the piece of each instruction
 */
struct carry_function {
	uint64_t addr;
	struct carry_insn *insn;
	uint32_t *piece_of;
	struct carry_piece *piece;
	uint32_t n, n_piece;
};

/**
 * carry_function_read() - read the code of @function
 * @all: the functions of the file, for the names of those that it calls
 *
 * Return: 0; -ENOENT: the file does not have its code; -ENOMEM.  Call carry_function_fini() in any
 * case.
 */
int carry_function_read(struct carry_function *f, const struct elf_file *elf,
			const struct functions *all, const struct function *function);
void carry_function_fini(struct carry_function *f);

/* The index of the instruction at @addr; CARRY_NONE: it is elsewhere. */
uint32_t carry_function_at(const struct carry_function *f, uint64_t addr);

/* The hash of all instructions, by struct carry_insn.like; 0: it is too short to be recognised. */
uint64_t carry_function_hash(const struct carry_function *f);

/* The hash of a name without what compilers append: ".llvm.4711", ".isra.0". */
uint64_t carry_name_hash(const char *name);

#endif /* CSF_CARRY_FUNCTION_H */
