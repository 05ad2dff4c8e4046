/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks that clang -fpseudo-probe-for-profiling leaves in a program: which block of the source's
 * function an address began as, whatever became of the code.  Two sections have them.
 *
 * .pseudo_probe_desc, one a function of the source: GUID and checksum of its control flow, 64 bits
 * each; length of its name, ULEB128; the name.
 *
 * .pseudo_probe, one a function of the program: GUID, 64 bits; how many probes, and how many
 * functions are inlined in it, ULEB128; the probes; then of each that is inlined the number of the
 * probe of the call, ULEB128, and the same again.  A probe is its number, ULEB128; a byte, of which
 * 4 bits are its kind, 3 attributes, and one says if what follows is how far it is from the one
 * before, SLEB128, or 64 bits: an address, or with attribute 2 a GUID; with attribute 4 a
 * discriminator, ULEB128.  The first one is that far from where the function begins.  One with
 * attribute 2 is none, but says that what comes next is that far from where the function of that
 * GUID begins.
 *
 * Source: the comments of LLVM's MCPseudoProbe.h, and files that clang 19 makes.
 */
#ifndef CSF_PROBES_H
#define CSF_PROBES_H

#include "../code/frames.h"
#include "../code/functions.h"

/* probe.kind */
enum probe_kind { PROBE_BLOCK, PROBE_INDIRECT_CALL, PROBE_CALL };

/* probe.number of where a function begins */
#define PROBE_ENTRY	1

/* A function of the source; they are sorted by @guid. */
struct probe_name {
	uint64_t guid, checksum;
	char *text;
};

/* A function, or one that is inlined in frame @outer, by its probe @site; 0: nobody knows where. */
struct probe_frame {
	const struct probe_name *name;
	uint32_t outer, site;
};

struct probe {
	uint64_t addr;
	uint32_t frame, number, discriminator;
	uint8_t kind;
};

/**
 * struct probes - zero is none
 * @probe: by address
 * @frame: frame 0 is none
 */
struct probes {
	struct probe *probe;
	struct probe_frame *frame;
	struct probe_name *name;
	size_t n, size, n_frame, size_frame, n_name, size_name;
};

/*
 * Of functions that are not among the file's symbols none is kept: llvm-profgen keeps none, either.
 * Return: 0, with none if the file has none; -EBADMSG: the sections are damaged; -ENOMEM.  In any
 * case probes_fini().
 */
int probes_read(struct probes *p, const struct functions *file);
void probes_fini(struct probes *p);

/*
 * Of functions of the program other than @name, @n of them, sorted, no probe is kept, nor of what
 * is inlined there.  A function that only ran inlined may have some all the same, in the code of
 * others: where the compiler has lost from where it was called it counts as if it was not inlined.
 * llvm-profgen reads probes of functions only whose own code ran.
 */
void probes_keep(struct probes *p, const char *const *name, size_t n);

/* The first one at @addr or behind it; @p->n: none. */
size_t probes_from(const struct probes *p, uint64_t addr);

/*
 * Its functions, the outermost first: their lines are numbers of probes.  Return: how many; 0: they
 * are too many.
 */
int probes_frames(const struct probes *p, const struct probe *probe, struct frame frame[FRAME_MAX]);

#endif /* CSF_PROBES_H */
