// SPDX-License-Identifier: GPL-2.0-only
#include "conditional.h"
#include "it-block.h"

#define BLOCK_INSN_MAX	1024	/* instructions of a block */

void conditional_configure(struct conditional_code *c, const struct csf_config *config)
{
	c->mode = config->trcconfigr >> 8 & 7;
	c->rule = 0;
	if (config->profile == CSF_PROFILE_M)
		c->rule |= CSF_RULE_M;
	if (config->trcidr2 >> 31)
		c->rule |= CSF_RULE_WFX;
	if ((config->trcidr0 >> 1 & 3) != 3)
		return;
	if (config->trcconfigr & 2)
		c->rule |= CSF_RULE_LOAD;
	if (config->trcconfigr & 4)
		c->rule |= CSF_RULE_STORE;
}

/* Return: size of the instruction; 0: there is no code. */
static unsigned int fetch(const struct conditional_code *c, uint64_t addr, bool t32,
			  uint32_t *opcode)
{
	uint8_t b[4];
	size_t n = csf_image_read(c->image, c->space, addr, c->time, b, sizeof(b));

	if (n < (t32 ? 2 : 4))
		return 0;
	*opcode = b[0] | b[1] << 8;
	if (!t32) {
		*opcode |= b[2] << 16 | (uint32_t)b[3] << 24;
		return 4;
	}
	if (*opcode < 0xe800)
		return 2;
	*opcode = *opcode << 16 | b[2] | b[3] << 8;
	return n < 4 ? 0 : 4;
}

static bool is_traced(const struct conditional_code *c, const struct csf_insn *insn)
{
	if (c->mode == CONDITIONAL_ALL)
		return true;
	return (c->mode & CONDITIONAL_LOADS && insn->kind == CSF_INSN_LOAD) ||
	       (c->mode & CONDITIONAL_STORES && insn->kind == CSF_INSN_STORE);
}

/* The condition of an instruction; 14: always.  @it: after IT, which it counts on. */
static unsigned int condition_of(uint32_t opcode, bool t32, struct it_block *it)
{
	const unsigned int given = it->state >> 4;

	if (t32)
		return it_block_next(it, opcode) ? given : 14;
	return opcode >> 28 < 14 ? opcode >> 28 : 14;
}

bool conditional_find(const struct conditional_code *c, uint64_t block, uint32_t number,
		      struct conditional *found)
{
	const bool t32 = block & 1;
	struct it_block it = { 0 };
	uint64_t addr = block & ~1ull;

	for (unsigned int i = 0; i < BLOCK_INSN_MAX; i++) {
		struct csf_insn insn;
		unsigned int condition;
		uint32_t opcode;

		if (!fetch(c, addr, t32, &opcode))
			return false;
		csf_insn(&insn, opcode, addr, t32 ? CSF_T32 : CSF_A32, c->rule);
		condition = condition_of(opcode, t32, &it);
		if (insn.flags & CSF_FLAG_P0 || insn.kind == CSF_INSN_BRANCH)
			return false;
		if (condition < 14 && is_traced(c, &insn) && !number--) {
			*found = (struct conditional){ addr, condition };
			return true;
		}
		addr = (uint32_t)(addr + insn.size);
	}
	return false;
}

/* Source: ARM DDI 0487, pseudocode ConditionHolds(). */
bool condition_holds(unsigned int condition, unsigned int flags)
{
	const bool n = flags & 8, z = flags & 4, c = flags & 2, v = flags & 1;
	const bool holds[8] = { z, c, n, v, c && !z, n == v, n == v && !z, true };

	return condition == 15 || holds[condition >> 1 & 7] != (condition & 1);
}
