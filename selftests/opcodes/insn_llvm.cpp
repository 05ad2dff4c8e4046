// SPDX-License-Identifier: GPL-2.0-only
/*
 * insn_llvm - does csf_insn() agree with LLVM's disassembler?
 *
 *	insn_llvm [-e] [-n words] [-p words] [-s seed] disagreements
 *	insn_llvm -w directory [-n words] [-p words]
 *
 * With -w: writes the words to directory/PROCESSOR.bin, and the answer of csf_insn() for each, a
 * letter, to directory/PROCESSOR.kind, for insn-objdump.pl to compare with another disassembler.
 * With -e: does the encoder's enc_classify(), which knows no M profile, no loads and stores?
 *
 * Compares kind, target, and what the flags say, for
 *	- each mask of insn-masks.h and of csf_insn()'s tables, and each of its bits flipped,
 *	  64 random fillings each;
 *	- every value of the bits that masks test, part by part, see tested(), 64 random fillings
 *	  each; with -p about so many random words of each processor's parts in place of that, if
 *	  it is more;
 *	- every T32 halfword;
 *	- @words random words for each processor, 10 million unless told otherwise.
 * A word on which they differ must be in the list of disagreements, and every
 * line of that list must be hit.
 *
 * LLVM's properties do not tell for every instruction that it changes flow: for TEXIT they only
 * tell that it has effects of its own.  So the list must also name each instruction with just this
 * property, by LLVM's name, with the reason why it is no branch: see Llvm::is_silent().
 */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <fnmatch.h>
#include <unistd.h>

/* LLVM first: decoder/bytes.h has names of its own for attributes. */
#include "insn_llvm_opinion.hpp"
extern "C" {
#include "../../decoder/insn.h"
#define class klass
#include "../../tools/encoder/encoder.h"
#undef class
}
#include "insn-masks.h"

enum { FILLINGS = 64, GROUPS_SHOWN = 40 };

/* One line of the list of disagreements: about opcodes, or about those that LLVM calls @name. */
struct entry {
	std::string isa, name;
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
static bool ask_encoder;
static const char *words_to;

static uint32_t random32(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 16;
}

/* The encoder's classes in the words of csf_insn(). */
static void ask(struct csf_insn *insn, const struct machine &m, uint32_t op, uint64_t pc)
{
	static const enum csf_insn_kind kinds[] = {
		CSF_INSN_OTHER, CSF_INSN_BRANCH, CSF_INSN_INDIRECT, CSF_INSN_ISB, CSF_INSN_WFX,
		CSF_INSN_BARRIER, CSF_INSN_TSTART, CSF_INSN_EXCEPTION, CSF_INSN_OTHER,
	};
	struct enc_insn e;

	if (!ask_encoder) {
		csf_insn(insn, op, pc, m.isa, m.rule);
		return;
	}
	e = enc_classify((enum enc_isa)m.isa, op, pc);
	*insn = {};
	insn->kind = kinds[e.klass];
	insn->size = e.size;
	insn->target = e.target;
	insn->target_isa = e.target_isa;
	if (insn->kind == CSF_INSN_OTHER || insn->kind == CSF_INSN_EXCEPTION ||
	    insn->kind == CSF_INSN_BARRIER)
		return;
	insn->flags = CSF_FLAG_P0 | (e.flags & ENC_COND ? CSF_FLAG_COND : 0) |
		      (e.flags & ENC_LINK ? CSF_FLAG_LINK : 0) |
		      (e.flags & ENC_ERET ? CSF_FLAG_ERET : 0);
	if (insn->kind >= CSF_INSN_ISB && insn->kind <= CSF_INSN_TSTART)
		insn->target = pc + e.size;
}

/* The encoder does not tell returns by their form, loads and stores, and barriers of A64. */
static void reduce(struct csf_insn *insn, const struct machine &m)
{
	if (!ask_encoder)
		return;
	insn->flags &= ~(CSF_FLAG_RET | CSF_FLAG_SVC);
	if (insn->kind == CSF_INSN_LOAD || insn->kind == CSF_INSN_STORE ||
	    (insn->kind == CSF_INSN_BARRIER && m.isa == CSF_A64))
		insn->kind = CSF_INSN_OTHER;
}

class Check {
	const struct machine &m;
	std::vector<struct entry> &list;
	Llvm llvm;
	std::vector<struct insn_mask> masks;
	std::map<std::string, struct group> groups;
	uint64_t n_words = 0, n_undecoded = 0, n_unpredictable = 0, n_listed = 0, n_named = 0;
	uint64_t n_different = 0;
	FILE *bin = nullptr, *kind = nullptr;

	bool is_for(const struct entry &e)
	{
		return !strncmp(m.list, e.isa.c_str(), e.isa.size());
	}

	void count(const char *key, uint32_t op, const MCInst *inst)
	{
		struct group *g = &groups[key];

		n_different++;
		if (!g->n++) {
			g->example = op;
			g->text = inst ? llvm.text(*inst) : "";
		}
	}

	/* LLVM does not say whether it changes flow: a line of the list must. */
	void named(uint32_t op, const MCInst &inst)
	{
		std::string name = llvm.mii->getName(inst.getOpcode()).str();

		for (auto &e : list)
			if (is_for(e) && !e.name.empty() && !fnmatch(e.name.c_str(), name.c_str(), 0)) {
				n_named++;
				return;
			}
		count((name + ": LLVM says nothing of flow, nor does a line").c_str(), op, &inst);
	}

	void differ(uint32_t op, const MCInst *inst, const struct csf_insn &ours,
		    const struct csf_insn &theirs)
	{
		char key[256];

		for (auto &e : list)
			if (is_for(e) && e.name.empty() && (op & e.mask) == e.value) {
				e.hits++;
				n_listed++;
				return;
			}

		snprintf(key, sizeof(key), "%s: kind %d flags %02x size %d, LLVM kind %d flags %02x%s",
			 inst ? llvm.mii->getName(inst->getOpcode()).str().c_str() : "not decoded",
			 ours.kind, ours.flags, ours.size, theirs.kind, theirs.flags,
			 ours.target != theirs.target ? ", targets differ" : "");
		count(key, op, inst);
	}

	template <size_t n> void add_masks(const struct insn_mask (&more)[n])
	{
		masks.insert(masks.end(), more, more + n);
	}

	/* The rows of one table; @pick are the bits it is indexed by. */
	void add_rows(const struct insn_row *const *table, uint32_t pick, uint32_t fixed)
	{
		const int shift = __builtin_ctz(pick);

		for (uint32_t i = 0; i < 256; i++) {
			const struct insn_row *row = table[i];

			for (; row && row->mask; row++)
				if (!((row->value ^ i << shift) & row->mask & pick))
					masks.push_back({ row->mask | pick | fixed,
							  row->value | i << shift | fixed });
		}
	}

	void all_masks(void)
	{
		switch (m.isa) {
		case CSF_A64:
			add_masks(a64_masks);
			add_rows(a64_rows, 0xff000000, 0);
			break;
		case CSF_A32:
			add_masks(a32_masks);
			add_masks(a32_always_masks);
			add_rows(a32_rows, 0x0ff00000, 0);
			for (const struct insn_row *row = a32_always; row->mask; row++)
				masks.push_back({ row->mask, row->value });
			break;
		case CSF_T32:
			add_masks(t32_masks);
			add_rows(t32_rows, 0x1fe00000, 0xe0000000);
			break;
		}
	}

	/*
	 * The bits that matter where those of @key are @value.  A mask that wants something else of
	 * @key cannot match there, whatever the other bits are, so that its other bits tell nothing
	 * and may be filled at random.  All values of @key, and in each part all values of these
	 * bits, are therefore all that the masks can tell apart.
	 */
	uint32_t tested(uint32_t key, uint32_t value)
	{
		const bool always = m.isa == CSF_A32 && value >> 28 == 0xf;
		uint32_t bits = key | m.bits;

		for (const auto &t : masks)
			if (!((t.value ^ value) & t.mask & key) && !(always && !(t.mask >> 28)))
				bits |= t.mask;
		return bits;
	}

	void part(uint32_t key, uint32_t value, uint64_t limit)
	{
		uint32_t bits = tested(key, value);
		const int n_free = 32 - __builtin_popcount(bits);
		/* 6 bits or less: every filling. */
		const int n_fillings = 1 << n_free <= FILLINGS ? 1 : FILLINGS;
		uint32_t v = value;

		if (n_fillings == 1)
			bits = ~0u;
		if ((uint64_t)n_fillings << __builtin_popcount(bits & ~key) > limit) {
			while (limit--)
				word(value | (random32() & ~key));
			return;
		}
		do {
			for (int i = 0; i < n_fillings; i++)
				word(v | (random32() & ~bits));
			v = (((v | ~bits | key) + 1) & bits & ~key) | value;
		} while (v != value);
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

public:
	Check(const struct machine &machine, std::vector<struct entry> &entries)
		: m(machine), list(entries), llvm(machine)
	{
		all_masks();
		if (words_to) {
			bin = open_for("bin");
			kind = open_for("kind");
		}
	}

	~Check()
	{
		if (bin)
			fclose(bin);
		if (kind)
			fclose(kind);
	}

	FILE *open_for(const char *what)
	{
		std::string path = std::string(words_to) + "/" + m.list + "." + what;
		FILE *f = fopen(path.c_str(), "w");

		if (!f) {
			perror(path.c_str());
			exit(2);
		}
		return f;
	}

	/* Four bytes each: a NOP is after a halfword.  IT would make the next one conditional. */
	void write(uint32_t op, const struct csf_insn &ours)
	{
		uint16_t half[2] = { (uint16_t)op, 0xbf00 };

		if (ours.size == 2 && op >> 8 == 0xbf && op & 0xf)
			return;
		if (ours.size == 4 && m.isa == CSF_T32) {
			half[0] = op >> 16;
			half[1] = op;
		}
		fwrite(m.isa == CSF_T32 ? (void *)half : &op, 4, 1, bin);
		fputc(letter(ours.kind), kind);
	}

	static char letter(int kind)
	{
		switch (kind) {
		case CSF_INSN_BRANCH:	return 'B';
		case CSF_INSN_INDIRECT:	return 'I';
		case CSF_INSN_ISB:	return 'S';
		case CSF_INSN_WFX:	return 'W';
		case CSF_INSN_TSTART:	return 'T';
		case CSF_INSN_EXCEPTION: return 'X';
		}
		return 'o';
	}

	void word(uint32_t op)
	{
		const uint64_t pc = (m.isa == CSF_A64 ? (uint64_t)random32() << 32 : 0) |
				    (random32() & (m.isa == CSF_T32 ? ~1u : ~3u));
		MCDisassembler::DecodeStatus status;
		struct csf_insn ours, theirs;
		MCInst inst;

		n_words++;
		ask(&ours, m, op, pc);
		if (bin) {
			write(op, ours);
			return;
		}
		status = llvm.decode(inst, op, ours.size, pc);
		if (status == MCDisassembler::Fail) {
			n_undecoded++;
			theirs = {};
			if (ours.flags & CSF_FLAG_P0)
				differ(op, nullptr, ours, theirs);
			return;
		}
		llvm.opinion(theirs, inst, pc, ours.size);
		reduce(&theirs, m);
		if ((status == MCDisassembler::SoftFail ||
		     llvm.is_unpredictable(inst, llvm.mii->get(inst.getOpcode()))) &&
		    !(ours.flags & CSF_FLAG_P0))
			n_unpredictable++;
		else if (ours.kind != theirs.kind || ours.flags != theirs.flags ||
		    ours.target != theirs.target)
			differ(op, &inst, ours, theirs);
		else if (!ask_encoder && ours.kind == CSF_INSN_OTHER && llvm.is_silent(inst, op))
			named(op, inst);
		if (llvm.blocks[inst.getOpcode()])
			llvm.forget_block();
	}

	/* A word of this machine's, from any 32 bits. */
	uint32_t legal(uint32_t op)
	{
		if (m.isa == CSF_T32 && op < 0xe8000000)
			return 0xe8000000 + op % 0x18000000;
		return op;
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

	void near_masks(void)
	{
		for (const auto &t : masks)
			near(t.mask, t.value);
	}

	/* At most about @n words. */
	void parts(uint64_t n)
	{
		const uint32_t key = m.isa == CSF_A64 ? 0xff000000 : 0xfff00000;
		const uint32_t first = m.isa == CSF_T32 ? 0xe8000000 : 0;
		const uint32_t step = key & -key;
		uint32_t value = first;

		n /= (uint32_t)-first / step ?: (1ull << 32) / step;
		do
			part(key, value, n);
		while (value += step);
	}

	bool report(int number)
	{
		int shown = 0;

		printf("%s %d %s: %" PRIu64 " words, %" PRIu64 " LLVM does not know, %" PRIu64
		       " it calls unpredictable, %" PRIu64 " listed, %" PRIu64 " named, %" PRIu64
		       " differ\n",
		       n_different ? "not ok" : "ok", number, m.name, n_words, n_undecoded,
		       n_unpredictable, n_listed, n_named, n_different);
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
	char line[256], isa[16], name[32];

	if (!f) {
		perror(path);
		return false;
	}
	for (int n = 1; fgets(line, sizeof(line), f); n++) {
		struct entry e = {};

		if (line[0] == '#' || line[0] == '\n')
			continue;
		if (sscanf(line, "%15s =%31s", isa, name) == 2)
			e.name = name;
		else if (sscanf(line, "%15s %" SCNx32 " %" SCNx32, isa, &e.mask, &e.value) != 3)
			isa[0] = '\0';
		if (!isa[0] || !strchr(line, '#') || e.value & ~e.mask) {
			fprintf(stderr, "%s:%d: want: isa mask value # reason, or isa =name # reason\n",
				path, n);
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

/*
 * A line that no word hits is wrong, or LLVM has learnt.  Lines of names are not checked: some are
 * too rare.
 */
static bool all_hit(const std::vector<struct entry> &list, int number)
{
	bool good = true;

	for (const auto &e : list)
		if (!e.hits && e.name.empty()) {
			printf("# line %d: no disagreement on %s %08" PRIx32 " %08" PRIx32 "\n",
			       e.line, e.isa.c_str(), e.mask, e.value);
			good = false;
		}
	printf("%s %d every listed disagreement is one: %zu lines\n", good ? "ok" : "not ok", number,
	       list.size());
	return good;
}

static int usage(void)
{
	fprintf(stderr, "usage: insn_llvm [-e] [-n words] [-p words] [-s seed] disagreements | -w directory\n");
	return 2;
}

int main(int argc, char **argv)
{
	int n_machines = sizeof(machines) / sizeof(machines[0]);
	std::vector<struct entry> list;
	uint64_t n = 10000000, n_parts = UINT64_MAX;
	bool good = true;
	int option, number = 0;

	while ((option = getopt(argc, argv, "en:p:s:w:")) != -1) {
		if (option == 'e')
			ask_encoder = true;
		else if (option == 'n')
			n = strtoull(optarg, NULL, 0);
		else if (option == 'p')
			n_parts = strtoull(optarg, NULL, 0);
		else if (option == 'w')
			words_to = optarg;
		else if (option == 's')
			seed = strtoull(optarg, NULL, 0) * 2 + 1;
		else
			return usage();
	}
	if (optind != argc - !words_to)
		return usage();
	if (!words_to && !read_list(argv[optind], list))
		return 2;

	InitializeAllTargetInfos();
	InitializeAllTargetMCs();
	InitializeAllDisassemblers();

	for (const auto &m : machines)
		n_machines -= ask_encoder && m.rule & CSF_RULE_M;
	if (!words_to)
		printf("TAP version 13\n1..%d\n# LLVM %s\n", n_machines + 1, LLVM_VERSION_STRING);
	for (const auto &m : machines) {
		if (ask_encoder && m.rule & CSF_RULE_M)
			continue;
		Check check(m, list);

		check.near_masks();
		check.parts(n_parts);
		check.halfwords();
		check.random_words(n);
		if (!words_to)
			good &= check.report(++number);
	}
	if (!words_to)
		good &= all_hit(list, ++number);
	return good ? 0 : 1;
}
