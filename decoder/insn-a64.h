/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A64 code, many instructions at a time: which is the next that takes an atom?
 *
 * A branch for each instruction would be mispredicted at the last of them in nearly every block, so
 * eight are checked without one.  As in frame-simd.h, the functions for that exist twice, and
 * insn_skip_test.c compares them.
 */
#ifndef CSF_INSN_A64_H
#define CSF_INSN_A64_H

#include "insn.h"

/*
 * A bit for each of eight A64 instructions that is a branch, exception or system instruction: bits
 * [28:26] are 0b101.  Except for loads and stores no other instruction takes an atom.
 */
static __always_inline unsigned int insn_group_plain(const uint8_t *p)
{
	uint64_t all = 0;

	for (unsigned int i = 0; i < 4; i++) {
		const uint64_t other = (get_le64(p + 8 * i) & 0x1c0000001c000000) ^
				       0x1400000014000000;

		/* Bit 29 of each half stays set where nothing is subtracted. */
		all |= ((0x2000000020000000 - other) & 0x2000000020000000) >> (29 - 2 * i);
	}
	return (all | all >> 31) & 0xff;
}

#if defined(__SSE2__)

#include <emmintrin.h>

static __always_inline unsigned int insn_group(const uint8_t *p)
{
	const __m128i bits = _mm_set1_epi32(0x1c000000), group = _mm_set1_epi32(0x14000000);
	const __m128i low = _mm_loadu_si128((const __m128i *)p);
	const __m128i high = _mm_loadu_si128((const __m128i *)(p + 16));
	const __m128i is = _mm_packs_epi32(_mm_cmpeq_epi32(_mm_and_si128(low, bits), group),
					   _mm_cmpeq_epi32(_mm_and_si128(high, bits), group));

	return _mm_movemask_epi8(_mm_packs_epi16(is, _mm_setzero_si128()));
}

#else

static __always_inline unsigned int insn_group(const uint8_t *p)
{
	return insn_group_plain(p);
}

#endif

/* As csf_insn(), for A64.  Returned by value, so that the caller has it in registers. */
struct csf_insn insn_a64_any(uint32_t op, uint64_t pc, uint32_t rule);

/* Sets the kind, flags and target that csf_insn() gives for an A64 instruction. */
static __always_inline void insn_a64(const struct insn_filter *filter, struct csf_insn *insn,
				     uint32_t op, uint64_t pc, uint32_t rule)
{
	const struct insn_direct *direct = &filter->direct[op >> 24];

	if (!direct->kind) {
		*insn = insn_a64_any(op, pc, rule);
		return;
	}
	insn->kind = direct->kind;
	insn->flags = direct->flags;
	insn->target = pc + ((int32_t)(op << direct->left) >> direct->right) * 4ll;
}

#define INSN_GROUP	32u	/* bytes of eight instructions */

/**
 * insn_size_a64() - size of A64 code up to and including the first instruction that takes an atom
 * @p: the code, @n bytes, at least INSN_GROUP; the first instruction is at @pc
 * @rule: one under which neither loads nor stores take an atom
 * @insn: set to the kind, flags and target that csf_insn() gives for that instruction
 *
 * Return: bytes; 0: no instruction takes an atom, except perhaps among the last seven.
 */
static __always_inline uint32_t insn_size_a64(const struct insn_filter *filter, const uint8_t *p,
					      uint32_t n, uint64_t pc, uint32_t rule,
					      struct csf_insn *insn)
{
	uint32_t at = 0;

	do {
		unsigned int some = insn_group(p + at);

		for (; some; some &= some - 1) {
			const uint32_t k = at + 4 * __builtin_ctz(some);

			insn_a64(filter, insn, get_le32(p + k), pc + k, rule);
			if (likely(insn->flags & CSF_FLAG_P0))
				return k + 4;
		}
		at += INSN_GROUP;
	} while (at + INSN_GROUP <= n);
	return 0;
}

#endif /* CSF_INSN_A64_H */
