/* SPDX-License-Identifier: GPL-2.0-only */
/* For insn_llvm.cpp: processors, and the meaning of LLVM's names of instructions. */
#ifndef CSF_SELFTESTS_INSN_LLVM_H
#define CSF_SELFTESTS_INSN_LLVM_H

#include "../../decoder/csflow.h"

/**
 * struct machine - a processor LLVM can disassemble for
 * @name: for the report
 * @list: its name in the list of disagreements, where a32 is for a32v7 too, t32 for t32m
 * @bits: those that tell most instructions apart: tested everywhere, besides what masks test
 */
struct machine {
	const char *name;
	const char *list;
	const char *triple;
	const char *features;
	enum csf_isa isa;
	uint32_t rule;
	uint32_t bits;
};

#define ARM_FEATURES \
	"+neon,+fp-armv8,+fullfp16,+fp16fml,+crypto,+crc,+dotprod,+bf16,+i8mm,+sb,+ras,+dsp," \
	"+trustzone,+virtualization,+mp,+hwdiv,+hwdiv-arm"

static const struct machine machines[] = {
	{ "A64", "a64", "aarch64", "+all", CSF_A64, CSF_RULE_WFX, 0xffe0fc00 },
	{ "A32 v8", "a32", "armv8.6a", ARM_FEATURES, CSF_A32, CSF_RULE_WFX, 0x0ff0f0f0 },
	{ "A32 v7", "a32v7", "armv7a", "+neon,+vfp4,+trustzone,+virtualization,+mp,+hwdiv-arm",
	  CSF_A32, CSF_RULE_WFX, 0x0ff0f0f0 },
	{ "T32 A profile", "t32", "thumbv8.6a", ARM_FEATURES, CSF_T32, CSF_RULE_WFX, 0xfff0f8c1 },
	{ "T32 M profile", "t32m", "thumbv8.1m.main",
	  "+mve.fp,+fp64,+lob,+pacbti,+dsp,+8msecext,+fullfp16", CSF_T32,
	  CSF_RULE_WFX | CSF_RULE_M, 0xfff0f8c1 },
};

/* What the names of LLVM's opcodes tell where its properties do not. */
enum hint {
	PLAIN, IS_SVC, IS_EXCEPTION, IS_ISB, IS_BARRIER, IS_WFX, IS_HINT, IS_TSTART, IS_MCR,
	IS_ERET,	/* is one */
	IS_LIST,	/* is one if pc is in the list */
};

static const struct {
	const char *name;
	enum hint hint;
} hints[] = {
	{ "SVC", IS_SVC }, { "tSVC", IS_SVC },
	{ "HVC", IS_EXCEPTION }, { "SMC", IS_EXCEPTION },
	{ "t2HVC", IS_EXCEPTION }, { "t2SMC", IS_EXCEPTION },
	{ "TENTER", IS_EXCEPTION }, { "TEXIT", IS_ERET },
	{ "ISB", IS_ISB }, { "t2ISB", IS_ISB },
	{ "DSB", IS_BARRIER }, { "DMB", IS_BARRIER }, { "DSBnXS", IS_BARRIER },
	{ "t2DSB", IS_BARRIER }, { "t2DMB", IS_BARRIER },
	{ "HINT", IS_HINT }, { "tHINT", IS_HINT }, { "t2HINT", IS_HINT },
	{ "WFET", IS_WFX }, { "WFIT", IS_WFX },
	{ "TSTART", IS_TSTART }, { "MCR", IS_MCR }, { "t2MCR", IS_MCR },
};

/*
 * Loads and stores by their names; the first prefix that fits decides.  What
 * LLVM's mayLoad and mayStore say is not meant so: hints and CLREX have both,
 * STXR has both, LDTADD has neither.
 */
static const struct {
	const char *prefix;
	enum csf_insn_kind kind;
} memory_names[] = {
	{ "STCPH", CSF_INSN_OTHER }, { "STSHH", CSF_INSN_OTHER }, { "STMOPA", CSF_INSN_OTHER },
	{ "STBF", CSF_INSN_LOAD }, { "STF", CSF_INSN_LOAD },	/* STFADD and its like */
	{ "LD", CSF_INSN_LOAD }, { "ST", CSF_INSN_STORE },
	{ "SWP", CSF_INSN_LOAD }, { "CAS", CSF_INSN_LOAD }, { "RCW", CSF_INSN_LOAD },
	{ "CPYF", CSF_INSN_LOAD }, { "CPYP", CSF_INSN_LOAD },
	{ "CPYM", CSF_INSN_LOAD }, { "CPYE", CSF_INSN_LOAD },
	{ "SETEND", CSF_INSN_OTHER },
	{ "MOPSSET", CSF_INSN_STORE }, { "SETG", CSF_INSN_STORE }, { "SETP", CSF_INSN_STORE },
	{ "SETM", CSF_INSN_STORE }, { "SETE", CSF_INSN_STORE }, { "GCSST", CSF_INSN_STORE },
	{ "GLD", CSF_INSN_LOAD }, { "SST", CSF_INSN_STORE },
	{ "tLD", CSF_INSN_LOAD }, { "tST", CSF_INSN_STORE },
	{ "tPUSH", CSF_INSN_STORE }, { "tPOP", CSF_INSN_LOAD },
	{ "t2LD", CSF_INSN_LOAD }, { "t2ST", CSF_INSN_STORE },
	{ "SRSDA", CSF_INSN_STORE }, { "SRSDB", CSF_INSN_STORE }, { "SRSIA", CSF_INSN_STORE },
	{ "SRSIB", CSF_INSN_STORE }, { "t2SRSDB", CSF_INSN_STORE }, { "t2SRSIA", CSF_INSN_STORE },
	{ "VLD", CSF_INSN_LOAD }, { "VST", CSF_INSN_STORE },
	{ "VLLDM", CSF_INSN_LOAD }, { "VLSTM", CSF_INSN_STORE },
	{ "FLDM", CSF_INSN_LOAD }, { "FSTM", CSF_INSN_STORE },
	{ "MVE_VLD", CSF_INSN_LOAD }, { "MVE_VST", CSF_INSN_STORE },
	{ "sysLDM", CSF_INSN_LOAD }, { "sysSTM", CSF_INSN_STORE },
};

/*
 * AArch32 instructions that may write pc; with any other it is UNPREDICTABLE, which LLVM does not
 * always say.
 */
static const char *const pc_writers[] = {
	"ADC", "ADD", "AND", "BIC", "EOR", "MOVi", "MOVr", "MOVs", "MVN", "ORR", "RSB", "RSC",
	"SBC", "SUB", "LDRi12", "LDRcp", "LDRrs", "LDR_P", "LDRT", "LDMDA", "LDMDB", "LDMIA",
	"LDMIB", "sysLDM", "tADD", "tMOVr", "tPOP", "t2LDRi", "t2LDRpci", "t2LDRs", "t2LDR_P",
	"t2LDMIA", "t2LDMDB",
};

#endif /* CSF_SELFTESTS_INSN_LLVM_H */
