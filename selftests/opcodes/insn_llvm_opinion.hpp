/* SPDX-License-Identifier: GPL-2.0-only */
/* For insn_llvm.cpp: what LLVM's disassembler thinks of a word, said in csf_insn()'s words. */
#ifndef CSF_SELFTESTS_INSN_LLVM_OPINION_HPP
#define CSF_SELFTESTS_INSN_LLVM_OPINION_HPP

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "llvm/Config/llvm-config.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrDesc.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include "insn_llvm.h"

using namespace llvm;

/* LLVM's objects for one machine. */
struct Llvm {
	const struct machine &m;
	std::unique_ptr<MCRegisterInfo> mri;
	std::unique_ptr<MCAsmInfo> mai;
	std::unique_ptr<MCInstrInfo> mii;
	std::unique_ptr<MCSubtargetInfo> sti;
	std::unique_ptr<MCContext> ctx;
	std::unique_ptr<MCDisassembler> dis;
	std::unique_ptr<MCInstPrinter> printer;
	std::unique_ptr<MCInstrAnalysis> analysis;
	std::vector<enum hint> hint;
	std::vector<enum csf_insn_kind> memory;
	std::vector<bool> to_pc;
	std::vector<bool> blocks;	/* IT and VPT: what they say must be forgotten */
	MCTargetOptions options;

	explicit Llvm(const struct machine &machine) : m(machine)
	{
		Triple triple(m.triple);
		std::string error;
		const Target *t = TargetRegistry::lookupTarget(triple, error);

		if (!t) {
			fprintf(stderr, "%s\n", error.c_str());
			exit(1);
		}
		mri.reset(t->createMCRegInfo(triple));
		mai.reset(t->createMCAsmInfo(*mri, triple, options));
		mii.reset(t->createMCInstrInfo());
		sti.reset(t->createMCSubtargetInfo(triple, "", m.features));
		ctx.reset(new MCContext(triple, mai.get(), mri.get(), sti.get()));
		dis.reset(t->createMCDisassembler(*sti, *ctx));
		printer.reset(t->createMCInstPrinter(triple, 0, *mai, *mii, *mri));
		analysis.reset(t->createMCInstrAnalysis(mii.get()));
		names();
	}

	void names(void)
	{
		hint.resize(mii->getNumOpcodes(), PLAIN);
		memory.resize(mii->getNumOpcodes());
		to_pc.resize(mii->getNumOpcodes());
		blocks.resize(mii->getNumOpcodes());
		for (unsigned int i = 0; i < mii->getNumOpcodes(); i++) {
			StringRef name = mii->getName(i);

			for (const auto &h : hints)
				if (name == h.name)
					hint[i] = h.hint;
			for (const auto &m : memory_names) {
				memory[i] = m.kind;
				if (name.starts_with(m.prefix))
					break;
				memory[i] = CSF_INSN_OTHER;
			}
			for (const char *prefix : pc_writers)
				if (name.starts_with(prefix) && !name.ends_with("i16"))
					to_pc[i] = true;
			if (name.starts_with("ERET") || name.starts_with("RFE") ||
			    name.starts_with("t2RFE") || name == "t2SUBS_PC_LR")
				hint[i] = IS_ERET;
			if (name.starts_with("sysLDM"))
				hint[i] = IS_LIST;
			blocks[i] = name == "t2IT" || name.starts_with("MVE_VPST") ||
				    name.starts_with("MVE_VPTv");
		}
	}

	std::string text(const MCInst &inst)
	{
		std::string s;
		raw_string_ostream os(s);

		printer->printInst(&inst, 0, "", *sti, os);
		return s;
	}

	MCDisassembler::DecodeStatus decode(MCInst &inst, uint32_t op, unsigned int size,
					    uint64_t pc)
	{
		uint8_t bytes[4];
		uint64_t used;
		MCDisassembler::DecodeStatus status;

		if (m.isa == CSF_T32 && size == 4)
			op = op << 16 | op >> 16;
		memcpy(bytes, &op, 4);
		status = dis->getInstruction(inst, used, ArrayRef<uint8_t>(bytes, size), pc,
						  nulls());
		return used == size ? status : MCDisassembler::Fail;
	}

	/* Conditional by a predicate, or by what it is. */
	bool is_conditional(const MCInst &inst, const MCInstrDesc &desc)
	{
		for (unsigned int i = 0; i < desc.getNumOperands(); i++)
			if (desc.operands()[i].isPredicate() && inst.getOperand(i).isImm() &&
			    inst.getOperand(i).getImm() != 14)
				return true;
		for (unsigned int i = 0; i < desc.getNumOperands(); i++)
			if (desc.operands()[i].isPredicate())
				return false;
		return desc.isConditionalBranch();
	}

	/* S was given: an exception return, if pc is the destination. */
	bool sets_flags(const MCInst &inst, const MCInstrDesc &desc)
	{
		for (unsigned int i = 0; i < desc.getNumOperands(); i++)
			if (desc.operands()[i].isOptionalDef() && inst.getOperand(i).isReg() &&
			    inst.getOperand(i).getReg())
				return true;
		return false;
	}

	/* LDM^ with pc among its registers. */
	bool lists_pc(const MCInst &inst)
	{
		const MCRegister pc = mri->getProgramCounter();

		for (unsigned int i = 1; i < inst.getNumOperands(); i++)
			if (inst.getOperand(i).isReg() && inst.getOperand(i).getReg() == pc)
				return true;
		return false;
	}

	/* Barriers as they were before ARMv7: MCR p15, 0, Rt, c7, ... */
	enum hint barrier(const MCInst &inst)
	{
		int64_t n[6] = {};

		for (unsigned int i = 0; i < 6 && i < inst.getNumOperands(); i++)
			if (inst.getOperand(i).isImm())
				n[i] = inst.getOperand(i).getImm();
		if (n[0] != 15 || n[1] || n[3] != 7)
			return PLAIN;
		if (n[4] == 5 && n[5] == 4)
			return IS_ISB;
		return n[4] == 10 && (n[5] == 4 || n[5] == 5) ? IS_BARRIER : PLAIN;
	}

	/* Flow changes only because pc is written, by what must not write it. */
	bool is_unpredictable(const MCInst &inst, const MCInstrDesc &desc)
	{
		return m.isa != CSF_A64 && !desc.isBranch() && !desc.isCall() && !desc.isReturn() &&
		       !desc.isIndirectBranch() && !to_pc[inst.getOpcode()] &&
		       analysis->mayAffectControlFlow(inst, *mri);
	}

	/* The forms of AArch32 that are meant as returns. */
	bool returns(const MCInst &inst)
	{
		std::string s = text(inst), args;
		size_t tab;

		s.erase(0, s.find_first_not_of('\t'));
		tab = s.find('\t');
		args = tab == std::string::npos ? "" : s.substr(tab + 1);
		if (s.compare(0, 5, "bxaut") == 0)
			return true;
		if (s.compare(0, 3, "blx") == 0 || s.compare(0, 3, "bxj") == 0)
			return false;
		if (s.compare(0, 2, "bx") == 0)
			return args == "lr";
		if (s.compare(0, 3, "mov") == 0)
			return args == "pc, lr";
		if (s.compare(0, 3, "pop") == 0 || s.compare(0, 3, "ldm") == 0)
			return (s[0] == 'p' || args.compare(0, 4, "sp!,") == 0) &&
			       args.find("sp", 4) == std::string::npos &&
			       args.find("{sp") == std::string::npos && s.find("ldmd") &&
			       s.compare(0, 5, "ldmib") != 0;
		return s.compare(0, 3, "ldr") == 0 && s.compare(3, 1, "t") &&
		       args.compare(0, 9, "pc, [sp],") == 0 &&
		       args.find('-') == std::string::npos && args.compare(10, 1, "#") == 0;
	}

	/* What LLVM thinks, in our words. */
	void opinion(struct csf_insn &o, const MCInst &inst, uint64_t pc, unsigned int size)
	{
		const MCInstrDesc &desc = mii->get(inst.getOpcode());
		enum hint hint = this->hint[inst.getOpcode()];

		if (hint == IS_MCR)
			hint = barrier(inst);
		if (hint == IS_LIST)
			hint = lists_pc(inst) ? IS_ERET : PLAIN;
		o = {};
		o.size = size;
		o.target_isa = m.isa;
		if (hint == IS_SVC || hint == IS_EXCEPTION) {
			o.kind = CSF_INSN_EXCEPTION;
			o.flags = hint == IS_SVC ? CSF_FLAG_SVC : 0;
			return;
		}
		if (hint == IS_BARRIER) {
			o.kind = CSF_INSN_BARRIER;
			return;
		}
		if (hint == IS_HINT && inst.getOperand(0).getImm() >> 1 == 1)
			hint = IS_WFX;
		if (hint == IS_ISB || hint == IS_WFX || hint == IS_TSTART) {
			o.kind = hint == IS_ISB ? CSF_INSN_ISB : hint == IS_WFX ? CSF_INSN_WFX :
				 CSF_INSN_TSTART;
			o.target = pc + size;
		} else if (hint == IS_ERET ||
			   analysis->mayAffectControlFlow(inst, *mri)) {
			bool direct = analysis->evaluateBranch(inst, pc, size, o.target);

			o.kind = direct ? CSF_INSN_BRANCH : CSF_INSN_INDIRECT;
			if (!direct)
				o.target = 0;
			if (desc.isCall())
				o.flags |= CSF_FLAG_LINK;
			if (hint == IS_ERET || (m.isa != CSF_A64 && sets_flags(inst, desc)))
				o.flags |= CSF_FLAG_ERET;
			else if (m.isa == CSF_A64 ? desc.isReturn() : !direct && returns(inst))
				o.flags |= CSF_FLAG_RET;
		} else {
			o.kind = memory[inst.getOpcode()];
			return;
		}

		if (m.isa != CSF_A64)
			o.target = (uint32_t)o.target;
		o.flags |= CSF_FLAG_P0;
		if (is_conditional(inst, desc))
			o.flags |= CSF_FLAG_COND;
	}

	/*
	 * LLVM's properties say that it has effects of its own, and nothing of flow, nor does its
	 * name say anything to us.  In AArch32 one that writes a register is none of these.
	 */
	bool is_silent(const MCInst &inst, uint32_t op)
	{
		const MCInstrDesc &desc = mii->get(inst.getOpcode());

		if (hint[inst.getOpcode()] != PLAIN || memory[inst.getOpcode()] != CSF_INSN_OTHER ||
		    !desc.hasUnmodeledSideEffects())
			return false;
		return m.isa == CSF_A64 ? (op >> 26 & 7) == 5 : !desc.getNumDefs();
	}

	/* An IT or VPT instruction would change what the next ones are. */
	void forget_block(void)
	{
		for (int i = 0; i < 4; i++) {
			MCInst nop;

			decode(nop, 0xbf00, 2, 0);
		}
	}
};

#endif /* CSF_SELFTESTS_INSN_LLVM_OPINION_HPP */
