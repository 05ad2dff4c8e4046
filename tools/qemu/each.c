// SPDX-License-Identifier: GPL-2.0-only
#include "each.h"

#include <string.h>

#include "code.h"
#include "guest.h"

#define PC	15

/* Offsets in QEMU's CPU state: V and N are bit 31 of theirs, and Z is that Z's word is 0. */
enum { AT_CF = 520, AT_VF = 524, AT_NF = 528, AT_ZF = 532 };

static uint32_t word_at(const uint8_t *env, unsigned int at)
{
	uint32_t v;

	memcpy(&v, env + at, sizeof(v));
	return v;
}

/* Arm ARM, F1.3.1 "Condition codes". */
static bool is_met(const uint8_t *env, unsigned int cond)
{
	const bool c = word_at(env, AT_CF), z = !word_at(env, AT_ZF);
	const bool n = word_at(env, AT_NF) >> 31, v = word_at(env, AT_VF) >> 31;
	const bool met[8] = { z, c, n, v, c && !z, n == v, n == v && !z, true };

	return met[cond >> 1] != (cond & 1 && cond < 14);
}

/* A word, of T32 with its first halfword at the top. */
static uint32_t opcode_of(const struct code *code)
{
	const uint8_t *p = code->bytes;
	const uint32_t first = p[0] | p[1] << 8;

	if (code->isa == ENC_T32 && !enc_t32_is_wide(first))
		return first;
	if (code->isa == ENC_T32)
		return first << 16 | p[2] | p[3] << 8;
	return first | p[2] << 16 | (uint32_t)p[3] << 24;
}

/* ---------------------------------------------------------------- conditions */

/* IT: 1011 1111, the first condition, mask; T32 only. */
static void step_it(struct each *each, uint32_t opcode)
{
	if (opcode >> 8 == 0xbf && opcode & 15)
		each->it = opcode;
	else
		each->it = each->it & 7 ? (each->it & 0xe0) | (each->it << 1 & 0x1f) : 0;
}

static void condition(struct each *each, const struct code *code, uint32_t opcode,
		      const uint8_t *env)
{
	each->failed = false;
	if (code->isa == ENC_A32) {
		each->it = 0;
		each->failed = opcode >> 28 < 14 && !is_met(env, opcode >> 28);
		return;
	}
	if (each->it & 15)
		each->failed = !is_met(env, each->it >> 4);
	step_it(each, opcode);
}

/* ---------------------------------------------------------------- stores that may fail */

/**
 * struct exclusive - STREX and similar instructions
 * @size: bytes; 8 are two words
 * @n: register of the address; @t: of the value; @d: of the result
 * @offset: from the address
 */
struct exclusive {
	uint32_t offset;
	uint8_t size, n, t, t2, d;
};

static bool exclusive_a32(uint32_t op, struct exclusive *x)
{
	static const uint8_t sizes[] = { 4, 8, 1, 2 };

	/* xxxx 0001 1ss0 nnnn dddd 11x1 1001 tttt; STLEX has x 0 */
	if ((op & 0x0f900cf0) != 0x01800c90)
		return false;
	*x = (struct exclusive){
		.size = sizes[op >> 21 & 3], .n = op >> 16 & 15, .d = op >> 12 & 15,
		.t = op & 15, .t2 = (op & 15) + 1,
	};
	return true;
}

static bool exclusive_t32(uint32_t op, struct exclusive *x)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8 };

	if (op >> 20 == 0xe84) {
		*x = (struct exclusive){
			.size = 4, .n = op >> 16 & 15, .t = op >> 12 & 15, .d = op >> 8 & 15,
			.offset = 4 * (op & 0xff),
		};
		return true;
	}
	if ((op & 0xfff000c0) != 0xe8c00040 && (op & 0xfff000c0) != 0xe8c000c0)
		return false;
	*x = (struct exclusive){
		.size = sizes[op >> 4 & 3], .n = op >> 16 & 15, .t = op >> 12 & 15,
		.t2 = op >> 8 & 15, .d = op & 15,
	};
	return true;
}

static void add(struct each *each, const struct enc_data *data)
{
	if (each->n < EACH_DATA_MAX)
		each->data[each->n++] = *data;
}

/*
 * QEMU reads before it writes, and may write what was there, so the store is made of the registers.
 */
static void exclusive(struct each *each, const struct code *code, uint32_t opcode,
		      const uint8_t *env)
{
	struct exclusive x;
	const bool is = code->isa == ENC_A32 ? exclusive_a32(opcode, &x) :
			opcode >> 16 && exclusive_t32(opcode, &x);
	struct enc_data data = { .flags = ENC_DATA_STORE };

	each->exclusive = is && !each->failed;
	if (!each->exclusive)
		return;
	each->reg = x.d;
	data.addr = guest_r(env, x.n) + x.offset;
	data.size = x.size < 4 ? x.size : 4;
	data.value = guest_r(env, x.t) & (x.size < 4 ? (1u << 8 * x.size) - 1 : UINT32_MAX);
	add(each, &data);
	if (x.size < 8)
		return;
	data.addr += 4;
	data.value = guest_r(env, x.t2);
	add(each, &data);
}

/* ---------------------------------------------------------------- coprocessors */

/* MRC and MCR of coprocessors 14 and 15, which have the same bits in both instruction sets. */
static void coprocessor(struct each *each, const struct code *code, uint32_t op, const uint8_t *env)
{
	struct enc_data data = { .size = 4, .flags = ENC_DATA_REGISTER };

	each->reads = false;
	if ((op & 0x0f000e10) != 0x0e000e10 || each->failed ||
	    (code->isa == ENC_A32 ? op >> 28 == 15 : op >> 28 != 14))
		return;
	if (op & 1 << 20) {
		/* To the flags: the value cannot be read. */
		if ((op >> 12 & 15) == PC)
			return;
		each->reads = true;
		each->reg = op >> 12 & 15;
	} else {
		data.flags |= ENC_DATA_STORE;
		data.value = guest_r(env, op >> 12 & 15);
	}
	add(each, &data);
}

/* ---------------------------------------------------------------- an instruction */

/* VLD1, VST1 and so on: 1111 0100 xxx0 of A32, 1111 1001 xxx0 of T32 */
static bool has_elements(const struct code *code, uint32_t op)
{
	return (op & 0xff100000) == (code->isa == ENC_A32 ? 0xf4000000 : 0xf9000000);
}

void each_begin(struct each *each, const struct code *code, const uint8_t *env)
{
	const uint32_t opcode = opcode_of(code);

	each->n = 0;
	each->elements = has_elements(code, opcode);
	condition(each, code, opcode, env);
	exclusive(each, code, opcode, env);
	coprocessor(each, code, opcode, env);
}

void each_end(struct each *each, const uint8_t *env)
{
	if (each->reads && each->n)
		each->data[0].value = guest_r(env, each->reg);
	if (!each->exclusive || !guest_r(env, each->reg))
		return;
	for (unsigned int i = 0; i < each->n; i++)
		each->data[i].flags |= ENC_DATA_FAILED;
}

/* Memory has the value after a store, and still after a load. */
void each_access(struct each *each, qemu_plugin_meminfo_t info, uint64_t addr)
{
	const unsigned int size = 1u << qemu_plugin_mem_size_shift(info);
	const uint8_t *p = (const uint8_t *)(uintptr_t)(guest_base() + addr);
	struct enc_data data = {
		.size = size < 4 ? size : 4,
		.flags = qemu_plugin_mem_is_store(info) ? ENC_DATA_STORE : 0,
	};

	if (each->exclusive)
		return;
	for (unsigned int i = 0; i < size; i += 4) {
		data.addr = addr + i;
		data.value = 0;
		memcpy(&data.value, p + i, data.size);
		add(each, &data);
	}
}
