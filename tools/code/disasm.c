// SPDX-License-Identifier: GPL-2.0-only
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define CACHE		(1u << 14)
#define TEXT_MAX	72

/* Bit of LLVMSetDisasmOptions(): immediate values in hexadecimal */
#define PRINT_IMM_HEX	2

/* Libraries before 16 have no word for all features. */
#define ARM64_14	"+v9.2a,+sve2,+sve2-aes,+sve2-sha3,+sve2-sm4,+sve2-bitperm,+mte,+sha3," \
			"+sm4,+crypto,+rand,+tme,+fp16fml,+bf16,+i8mm,+f32mm,+f64mm,+ls64," \
			"+brbe,+ete,+trbe,+spe,+ras,+hbc,+mops"
#define ARM32		"+neon,+fp-armv8,+crypto,+fullfp16,+bf16,+i8mm,+trustzone," \
			"+virtualization,+mp,+hwdiv,+hwdiv-arm"

static const struct {
	const char *name, *arm64;
} libraries[] = {
	{ "libLLVM.so.22.1", "+all" }, { "libLLVM.so.21.1", "+all" },
	{ "libLLVM.so.20.1", "+all" }, { "libLLVM.so.19.1", "+all" },
	{ "libLLVM.so.18.1", "+all" }, { "libLLVM-17.so.1", "+all" },
	{ "libLLVM-16.so.1", "+all" }, { "libLLVM-15.so.1", ARM64_14 },
	{ "libLLVM-14.so.1", ARM64_14 },
};

/**
 * struct text - a disassembled instruction
 * @key: 0: none
 */
struct text {
	uint64_t key;
	char s[TEXT_MAX];
};

/**
 * struct disasm - LLVM
 * @insn: LLVMDisasmInstruction(); @dispose: LLVMDisasmDispose()
 * @context: by enum csf_isa
 * @it: ITSTATE of the instruction at @next
 * @cache: by opcode; texts do not depend on the address
 */
struct disasm {
	void *library;
	const char *name;
	size_t (*insn)(void *context, uint8_t *bytes, uint64_t n, uint64_t pc, char *out,
		       size_t n_out);
	void (*dispose)(void *context);
	void *context[3];
	uint64_t next;
	uint8_t it;
	struct text cache[CACHE];
	char out[DISASM_MAX];
};

static bool initialise(void *library)
{
	static const char *const names[] = {
		"LLVMInitializeAArch64TargetInfo", "LLVMInitializeAArch64TargetMC",
		"LLVMInitializeAArch64Disassembler", "LLVMInitializeARMTargetInfo",
		"LLVMInitializeARMTargetMC", "LLVMInitializeARMDisassembler",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		void (*init)(void);

		init = (__typeof__(init))dlsym(library, names[i]);
		if (!init)
			return false;
		init();
	}
	return true;
}

static bool contexts(struct disasm *d, const char *arm64)
{
	const char *const triple[] = { "aarch64-linux-gnu", "armv8.6a-linux-gnueabihf",
				       "thumbv8.6a-linux-gnueabihf" };
	void *(*create)(const char *triple, const char *cpu, const char *features, void *info,
			int tag, void *op_info, void *symbols);
	int (*options)(void *context, uint64_t bits);

	create = (__typeof__(create))dlsym(d->library, "LLVMCreateDisasmCPUFeatures");
	options = (__typeof__(options))dlsym(d->library, "LLVMSetDisasmOptions");
	d->insn = (__typeof__(d->insn))dlsym(d->library, "LLVMDisasmInstruction");
	d->dispose = (__typeof__(d->dispose))dlsym(d->library, "LLVMDisasmDispose");
	if (!create || !options || !d->insn || !d->dispose || !initialise(d->library))
		return false;
	for (int isa = 0; isa < 3; isa++) {
		d->context[isa] = create(triple[isa], "", isa == CSF_A64 ? arm64 : ARM32, NULL, 0,
					 NULL, NULL);
		if (!d->context[isa])
			return false;
		options(d->context[isa], PRINT_IMM_HEX);
	}
	return true;
}

static void close_library(struct disasm *d)
{
	for (int isa = 0; isa < 3; isa++) {
		if (d->context[isa])
			d->dispose(d->context[isa]);
		d->context[isa] = NULL;
	}
	if (d->library)
		dlclose(d->library);
	d->library = NULL;
}

int disasm_new(struct disasm **out)
{
	struct disasm *d = calloc(1, sizeof(*d));

	*out = NULL;
	if (!d)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++) {
		d->library = dlopen(libraries[i].name, RTLD_LAZY | RTLD_LOCAL);
		if (d->library && contexts(d, libraries[i].arm64)) {
			d->name = libraries[i].name;
			*out = d;
			return 0;
		}
		close_library(d);
	}
	free(d);
	return -ENOENT;
}

void disasm_free(struct disasm *d)
{
	if (d)
		close_library(d);
	free(d);
}

const char *disasm_library(const struct disasm *d)
{
	return d->name;
}

/* ---------------------------------------------------------------- T32 */

/* ITSTATE after one more instruction. */
static uint8_t it_advance(uint8_t it)
{
	return it & 7 ? (it & 0xe0) | (it << 1 & 0x1f) : 0;
}

static bool is_it(uint32_t opcode, unsigned int size)
{
	return size == 2 && (opcode & 0xff00) == 0xbf00 && opcode & 15;
}

static size_t decode(struct disasm *d, enum csf_isa isa, uint32_t opcode, unsigned int size,
		     char *out)
{
	uint8_t bytes[4];

	if (isa == CSF_T32 && size == 4)
		opcode = opcode << 16 | opcode >> 16;
	for (unsigned int i = 0; i < 4; i++)
		bytes[i] = opcode >> 8 * i;
	*out = '\0';
	return d->insn(d->context[isa], bytes, size, 0, out, TEXT_MAX);
}

/*
 * LLVM remembers an IT block from one call to the next.  So that a text depends only on opcode and
 * ITSTATE, LLVM gets the IT instruction that has that state first, and afterwards as many
 * NOPs as the block has left.
 */
static void decode_t32(struct disasm *d, uint32_t opcode, unsigned int size, uint8_t it, char *out)
{
	char unused[TEXT_MAX];

	if (is_it(opcode, size)) {
		decode(d, CSF_T32, opcode, size, out);
		it = opcode & 0xff;
	} else {
		if (it)
			decode(d, CSF_T32, 0xbf00 | it, 2, unused);
		decode(d, CSF_T32, opcode, size, out);
		it = it_advance(it);
	}
	for (; it; it = it_advance(it))
		decode(d, CSF_T32, 0xbf00, 2, unused);
}

static uint8_t it_state(struct disasm *d, enum csf_isa isa, uint32_t opcode, unsigned int size,
			uint64_t pc)
{
	uint8_t it = isa == CSF_T32 && pc == d->next ? d->it : 0;

	d->next = pc + size;
	d->it = isa == CSF_T32 && is_it(opcode, size) ? opcode & 0xff : it_advance(it);
	return it;
}

/* ---------------------------------------------------------------- texts */

/* One blank for each tab, none at the beginning. */
static void tidy(char *s)
{
	size_t skip = strspn(s, "\t ");

	memmove(s, s + skip, strlen(s + skip) + 1);
	for (; *s; s++)
		if (*s == '\t')
			*s = ' ';
}

static const char *cached(struct disasm *d, enum csf_isa isa, uint32_t opcode, unsigned int size,
			  uint8_t it)
{
	uint64_t key = 1ull << 63 | (uint64_t)it << 40 | (uint64_t)size << 36 |
		       (uint64_t)isa << 32 | opcode;
	struct text *t = &d->cache[(key * 0x9e3779b97f4a7c15ull) >> 50];

	if (t->key == key)
		return t->s;
	t->key = key;
	if (isa == CSF_T32)
		decode_t32(d, opcode, size, it, t->s);
	else
		decode(d, isa, opcode, size, t->s);
	t->s[TEXT_MAX - 1] = '\0';
	tidy(t->s);
	return t->s;
}

const char *disasm_insn(struct disasm *d, enum csf_isa isa, uint32_t opcode, unsigned int size,
			uint64_t pc)
{
	uint8_t it = it_state(d, isa, opcode, size, pc);
	const char *text = cached(d, isa, opcode, size, it);
	struct csf_insn insn;

	csf_insn(&insn, opcode, pc, isa, 0);
	if (insn.kind != CSF_INSN_BRANCH || !*text)
		return text;
	snprintf(d->out, sizeof(d->out), "%s ; 0x%" PRIx64, text, insn.target);
	return d->out;
}

/* ---------------------------------------------------------------- addresses */

static int64_t signed_bits(uint32_t v, unsigned int n)
{
	return (int32_t)(v << (32 - n)) >> (32 - n);
}

/* ADR, ADRP, and loads of a literal: ARM DDI 0487, C4.1. */
static bool address_a64(uint32_t opcode, uint64_t pc, uint64_t *addr)
{
	const uint32_t imm = opcode >> 5 & 0x7ffff;

	if ((opcode & 0x9f000000) == 0x10000000)
		*addr = pc + signed_bits(imm << 2 | (opcode >> 29 & 3), 21);
	else if ((opcode & 0x9f000000) == 0x90000000)
		*addr = (pc & ~0xfffull) + 4096 * signed_bits(imm << 2 | (opcode >> 29 & 3), 21);
	else if ((opcode & 0x3b000000) == 0x18000000)
		*addr = pc + 4 * signed_bits(imm, 19);
	else
		return false;
	return true;
}

const char *disasm_code(struct disasm *d, const struct disasm_code *c)
{
	const char *text = cached(d, c->isa, c->opcode, c->size, c->it);
	const char *distance = strrchr(text, '#');
	struct csf_insn insn;
	uint64_t addr;

	csf_insn(&insn, c->opcode, c->pc, c->isa, 0);
	addr = insn.target;
	if (!distance || (insn.kind != CSF_INSN_BRANCH &&
			  !(c->isa == CSF_A64 && address_a64(c->opcode, c->pc, &addr))))
		return text;
	snprintf(d->out, sizeof(d->out), "%.*s#0x%" PRIx64, (int)(distance - text), text, addr);
	return d->out;
}
