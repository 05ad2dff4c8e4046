// SPDX-License-Identifier: GPL-2.0-only
/*
 * insn_llvm - does csf_insn() agree with LLVM's disassembler?
 *
 *	insn_llvm [-n words] [-s seed] disagreements
 *
 * Compares kind, target, and what the flags say, for
 *	- each row of csf_insn()'s tables, and each of its bits flipped, 64 random fillings each;
 *	- every value of the bits that tell instructions apart, see struct machine, 64 fillings each;
 *	- every T32 halfword;
 *	- @words random words for each instruction set, 10 million unless told otherwise.
 * A word on which they differ must be in the list of disagreements, and every
 * line of that list must be hit.
 */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

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

extern "C" {
#include "../decoder/insn.h"
}
#include "insn_llvm.h"

using namespace llvm;

enum { FILLINGS = 64, GROUPS_SHOWN = 40 };

/* One line of the list of disagreements. */
struct entry {
	std::string isa;
	uint32_t mask, value;
	int line;
	uint64_t hits;
};

/* Differences of one sort, for the report. */
struct group {
	uint64_t n;
	uint32_t example;
	std::string text;
};

static uint64_t seed = 1;

static uint32_t random32(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 16;
}

/* LLVM's objects for one machine. */
struct Llvm {
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
	std::vector<bool> blocks;	/* IT and VPT: what they say of the next must be forgotten */
	MCTargetOptions options;

	explicit Llvm(const struct machine &m)
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
};

class Check {
	const struct machine &m;
	std::vector<struct entry> &list;
	Llvm llvm;
	std::map<std::string, struct group> groups;
	uint64_t n_words = 0, n_undecoded = 0, n_unpredictable = 0, n_listed = 0, n_different = 0;

	MCDisassembler::DecodeStatus decode(MCInst &inst, uint32_t op, unsigned int size,
					    uint64_t pc)
	{
		uint8_t bytes[4];
		uint64_t used;
		MCDisassembler::DecodeStatus status;

		if (m.isa == CSF_T32 && size == 4)
			op = op << 16 | op >> 16;
		memcpy(bytes, &op, 4);
		status = llvm.dis->getInstruction(inst, used, ArrayRef<uint8_t>(bytes, size), pc,
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
		const MCRegister pc = llvm.mri->getProgramCounter();

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
		       !desc.isIndirectBranch() && !llvm.to_pc[inst.getOpcode()] &&
		       llvm.analysis->mayAffectControlFlow(inst, *llvm.mri);
	}

	/* The forms of AArch32 that are meant as returns. */
	bool returns(const MCInst &inst)
	{
		std::string s = llvm.text(inst), args;
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
		const MCInstrDesc &desc = llvm.mii->get(inst.getOpcode());
		enum hint hint = llvm.hint[inst.getOpcode()];

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
			   llvm.analysis->mayAffectControlFlow(inst, *llvm.mri)) {
			bool direct = llvm.analysis->evaluateBranch(inst, pc, size, o.target);

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
			o.kind = llvm.memory[inst.getOpcode()];
			return;
		}

		if (m.isa != CSF_A64)
			o.target = (uint32_t)o.target;
		o.flags |= CSF_FLAG_P0;
		if (is_conditional(inst, desc))
			o.flags |= CSF_FLAG_COND;
	}

	void differ(uint32_t op, const MCInst *inst, const struct csf_insn &ours,
		    const struct csf_insn &theirs)
	{
		char key[256];
		struct group *g;

		for (auto &e : list)
			if (!strncmp(m.list, e.isa.c_str(), e.isa.size()) &&
			    (op & e.mask) == e.value) {
				e.hits++;
				n_listed++;
				return;
			}

		n_different++;
		snprintf(key, sizeof(key), "%s: kind %d flags %02x size %d, LLVM kind %d flags %02x%s",
			 inst ? llvm.mii->getName(inst->getOpcode()).str().c_str() : "not decoded",
			 ours.kind, ours.flags, ours.size, theirs.kind, theirs.flags,
			 ours.target != theirs.target ? ", targets differ" : "");
		g = &groups[key];
		if (!g->n++) {
			g->example = op;
			g->text = inst ? llvm.text(*inst) : "";
		}
	}

	/* An IT or VPT instruction would change what the next ones are. */
	void forget_block(void)
	{
		for (int i = 0; i < 4; i++) {
			MCInst nop;

			decode(nop, 0xbf00, 2, 0);
		}
	}

public:
	Check(const struct machine &machine, std::vector<struct entry> &entries)
		: m(machine), list(entries), llvm(machine)
	{
	}

	void word(uint32_t op)
	{
		const uint64_t pc = (m.isa == CSF_A64 ? (uint64_t)random32() << 32 : 0) |
				    (random32() & (m.isa == CSF_T32 ? ~1u : ~3u));
		MCDisassembler::DecodeStatus status;
		struct csf_insn ours, theirs;
		MCInst inst;

		n_words++;
		csf_insn(&ours, op, pc, m.isa, m.rule);
		status = decode(inst, op, ours.size, pc);
		if (status == MCDisassembler::Fail) {
			n_undecoded++;
			theirs = {};
			if (ours.flags & CSF_FLAG_P0)
				differ(op, nullptr, ours, theirs);
			return;
		}
		opinion(theirs, inst, pc, ours.size);
		if ((status == MCDisassembler::SoftFail ||
		     is_unpredictable(inst, llvm.mii->get(inst.getOpcode()))) &&
		    !(ours.flags & CSF_FLAG_P0))
			n_unpredictable++;
		else if (ours.kind != theirs.kind || ours.flags != theirs.flags ||
		    ours.target != theirs.target)
			differ(op, &inst, ours, theirs);
		if (llvm.blocks[inst.getOpcode()])
			forget_block();
	}

	/* A word of this machine's, from any 32 bits. */
	uint32_t legal(uint32_t op)
	{
		if (m.isa == CSF_T32 && op < 0xe8000000)
			return 0xe8000000 + op % 0x18000000;
		return op;
	}

	/* Those values of @bits in which @need are set. */
	void every_value(uint32_t bits, uint32_t need)
	{
		uint32_t v = 0;

		do {
			bool there = (v & need) == need && (m.isa != CSF_T32 || v >= 0xe8000000);

			for (int i = 0; i < FILLINGS && there; i++)
				word(v | (random32() & ~bits));
			v = ((v | ~bits) + 1) & bits;
		} while (v);
	}

	void every_value(void)
	{
		every_value(m.bits, m.isa == CSF_T32 ? 0xe0000000 : 0);
		if (m.isa == CSF_A32)
			every_value(m.bits | 0xf0000000, 0xf0000000);
	}

	void halfwords(void)
	{
		for (uint32_t op = 0; m.isa == CSF_T32 && op < 0xe800; op++)
			word(op);
	}

	void random_words(uint64_t n)
	{
		while (n--)
			word(legal(random32()));
	}

	void near(uint32_t mask, uint32_t value)
	{
		for (int bit = -1; bit < 32; bit++) {
			uint32_t flip = bit < 0 ? 0 : 1u << bit;

			if (flip & ~mask)
				continue;
			for (int i = 0; i < FILLINGS; i++)
				word(legal((value ^ flip) | (random32() & ~mask)));
		}
	}

	/* The rows of one table; @pick are the bits it is indexed by. */
	void rows(const struct insn_row *const *table, uint32_t pick, uint32_t fixed)
	{
		const int shift = __builtin_ctz(pick);

		for (uint32_t i = 0; i < 256; i++) {
			const struct insn_row *row = table[i];

			for (; row && row->mask; row++)
				if (!((row->value ^ i << shift) & row->mask & pick))
					near(row->mask | pick, row->value | i << shift | fixed);
		}
	}

	void all_rows(void)
	{
		switch (m.isa) {
		case CSF_A64:
			rows(a64_rows, 0xff000000, 0);
			break;
		case CSF_A32:
			rows(a32_rows, 0x0ff00000, 0);
			for (const struct insn_row *row = a32_always; row->mask; row++)
				near(row->mask, row->value);
			break;
		case CSF_T32:
			rows(t32_rows, 0x1fe00000, 0xe0000000);
			break;
		}
	}

	bool report(int number)
	{
		int shown = 0;

		printf("%s %d %s: %" PRIu64 " words, %" PRIu64 " LLVM does not know, %" PRIu64
		       " it calls unpredictable, %" PRIu64 " listed, %" PRIu64 " differ\n",
		       n_different ? "not ok" : "ok", number, m.name, n_words, n_undecoded,
		       n_unpredictable, n_listed, n_different);
		for (const auto &g : groups)
			if (shown++ < GROUPS_SHOWN)
				printf("# %8" PRIu64 "  %08" PRIx32 "%s  %s\n", g.second.n,
				       g.second.example, g.second.text.c_str(), g.first.c_str());
		fflush(stdout);
		return !n_different;
	}
};

static bool read_list(const char *path, std::vector<struct entry> &list)
{
	FILE *f = fopen(path, "r");
	char line[256], isa[16];

	if (!f) {
		perror(path);
		return false;
	}
	for (int n = 1; fgets(line, sizeof(line), f); n++) {
		struct entry e = {};

		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (sscanf(line, "%15s %" SCNx32 " %" SCNx32, isa, &e.mask, &e.value) != 3 ||
		    !strchr(line, '#') || e.value & ~e.mask) {
			fprintf(stderr, "%s:%d: want: isa mask value # reason\n", path, n);
			fclose(f);
			return false;
		}
		e.isa = isa;
		e.line = n;
		list.push_back(e);
	}
	fclose(f);
	return true;
}

/* A line that nothing hits is wrong, or LLVM has learnt. */
static bool all_hit(const std::vector<struct entry> &list, int number)
{
	bool good = true;

	for (const auto &e : list)
		if (!e.hits) {
			printf("# line %d: no disagreement on %s %08" PRIx32 " %08" PRIx32 "\n", e.line,
			       e.isa.c_str(), e.mask, e.value);
			good = false;
		}
	printf("%s %d every listed disagreement is one: %zu lines\n", good ? "ok" : "not ok", number,
	       list.size());
	return good;
}

static int usage(void)
{
	fprintf(stderr, "usage: insn_llvm [-n words] [-s seed] disagreements\n");
	return 2;
}

int main(int argc, char **argv)
{
	const int n_machines = sizeof(machines) / sizeof(machines[0]);
	std::vector<struct entry> list;
	uint64_t n = 10000000;
	bool good = true;
	int option, number = 0;

	while ((option = getopt(argc, argv, "n:s:")) != -1) {
		if (option == 'n')
			n = strtoull(optarg, NULL, 0);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 0) * 2 + 1;
		else
			return usage();
	}
	if (optind != argc - 1)
		return usage();
	if (!read_list(argv[optind], list))
		return 2;

	InitializeAllTargetInfos();
	InitializeAllTargetMCs();
	InitializeAllDisassemblers();

	printf("TAP version 13\n1..%d\n", n_machines + 1);
	for (const auto &m : machines) {
		Check check(m, list);

		check.all_rows();
		check.every_value();
		check.halfwords();
		check.random_words(n);
		good &= check.report(++number);
	}
	good &= all_hit(list, ++number);
	return good ? 0 : 1;
}
