/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks that clang -fpseudo-probe-for-profiling leaves in a program: the block of the source
 * function that an address began as, whatever happened to the code.  Two sections have them.
 *
 * .pseudo_probe_desc, one entry for each function of the source: GUID and checksum of its control
 * flow, 64 bits each; length of its name, ULEB128; the name.
 *
 * .pseudo_probe, one entry for each function of the program: GUID, 64 bits; the number of probes
 * and of functions inlined in it, ULEB128; the probes; then for each inlined function the
 * number of the probe of the call, ULEB128, and again the same.  A probe is its number, ULEB128; a
 * byte with 4 bits for its kind, 3 for attributes, and one that tells whether a distance from the
 * previous probe follows, SLEB128, or 64 bits: an address or, with attribute 2, a GUID; with
 * attribute 4 a discriminator, ULEB128.  The distance of the first one is from the beginning of the
 * function.  An entry with attribute 2 is not a probe: the distance of the next one is from the
 * beginning of the function with that GUID.
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

/* A function, or one inlined in frame @outer, at its probe @site; 0: unknown where. */
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
 * Probes of functions that are not among the file's symbols are dropped, as by llvm-profgen.
 * Return: 0, with none if the file has none; -EBADMSG: the sections are damaged; -ENOMEM.  Call
 * probes_fini() in any case.
 */
int probes_read(struct probes *p, const struct functions *file);
void probes_fini(struct probes *p);

/*
 * Drops the probes of program functions other than @name, @n of them, sorted, and of the code
 * inlined in these.  A function that ran only inlined may still have some, in the code of other
 * functions: if the compiler has lost where it was called from, it counts as not inlined.
 * llvm-profgen reads only the probes of functions whose own code ran.
 */
void probes_keep(struct probes *p, const char *const *name, size_t n);

/* The first probe at @addr or after it; @p->n: none. */
size_t probes_from(const struct probes *p, uint64_t addr);

/*
 * The functions of a probe, the outermost first; their lines are numbers of probes.  Return: how
 * many; 0: there are too many.
 */
int probes_frames(const struct probes *p, const struct probe *probe, struct frame frame[FRAME_MAX]);

#endif /* CSF_PROBES_H */
