/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dsos: files that a recording names, and where they are now.
 *
 * A dso is looked for when its code, or a symbol, is first wanted, not before:
 * a recording of a whole system names thousands.
 */
#ifndef PERF_DSO_H
#define PERF_DSO_H

#include "elf.h"
#include "kallsyms.h"

/**
 * enum dso_kind - what a name stands for
 * @DSO_FILE: a file that a process mapped
 * @DSO_KERNEL: the kernel itself
 * @DSO_MODULE: a kernel module
 * @DSO_NONE: no file: anonymous memory, stack, heap, code made at run time
 * @DSO_SYMBOL: code that the kernel made at run time, by its symbol: a BPF program, a trampoline
 */
enum dso_kind { DSO_FILE, DSO_KERNEL, DSO_MODULE, DSO_NONE, DSO_SYMBOL };

/**
 * enum dso_state - what became of looking for it
 * @DSO_UNSEEN: nobody has needed it
 * @DSO_FOUND: by its build-id
 * @DSO_UNCHECKED: by its name; the recording or the file has no build-id to compare
 * @DSO_MISSING: there is no such file here
 * @DSO_DIFFERENT: there is one, and it is not the one that was recorded
 * @DSO_FOREIGN: there is one, and it is for another kind of processor
 * @DSO_UNREADABLE: there is one, and it cannot be read
 * @DSO_IN_KCORE: there is none, and its code is in the image of the kernel's memory
 */
enum dso_state {
	DSO_UNSEEN,
	DSO_FOUND,
	DSO_UNCHECKED,
	DSO_MISSING,
	DSO_DIFFERENT,
	DSO_FOREIGN,
	DSO_UNREADABLE,
	DSO_IN_KCORE,
};

/* "found", "missing" and so on */
const char *dso_state_name(enum dso_state state);

/**
 * struct dso_options - where to look
 * @symfs: instead of "/"; NULL: "/"
 * @vmlinux: the kernel; NULL: look for it by its build-id
 * @debug_dir: the build-id cache; NULL: $PERF_BUILDID_DIR, or ~/.debug
 * @release: of the kernel that was recorded; may be NULL
 * @kcore: an image of its memory; NULL: that of the recording, or none
 * @kallsyms: names of its functions; NULL: those of the recording, or of the build-id cache
 * @recording: the directory that the recording is, which may have both; NULL: it is a file
 * @debuginfod: ask the servers of $DEBUGINFOD_URLS for what is not here
 * @given: @n_given files that go before all others, each as what has its build-id
 */
struct dso_options {
	const char *symfs, *vmlinux, *debug_dir;
	const char *release;
	const char *kcore, *kallsyms, *recording;
	const char *const *given;
	size_t n_given;
	bool debuginfod;
};

/**
 * struct dso - one of them
 * @name: as the recording has it; owned
 * @build_id: @n_build_id bytes, as the recording has it; 0: it does not say
 * @kind: enum dso_kind
 * @state: enum dso_state
 * @elf: the file, if @state is DSO_FOUND or DSO_UNCHECKED
 * @path: of that file, or of the one that was refused; NULL: there was none; owned
 * @base: of a module: where it is as if loaded, for the branches that leave it; 0: nowhere
 * @program: a process ran it: it is the first thing that one had mapped
 */
struct dso {
	char *name;
	uint8_t build_id[ELF_BUILD_ID_MAX];
	size_t n_build_id;
	enum dso_kind kind;
	enum dso_state state;
	struct elf_file *elf;
	char *path;
	uint64_t base;
	bool program;
	uint32_t next;			/* of the same hash; private */
};

/* All dsos of a recording; numbers start at 1 and stay. */
struct dso_table {
	struct dso_options options;
	struct dso **dso;
	size_t n, size;
	uint32_t *hash;
	size_t n_hash;
	/* private: see dso_kcore(), dso_kernel_symbol() */
	struct dso *kernel;
	struct kallsyms *kallsyms;
	bool looked;
	/* names of the kernel's functions that are of no use, NULL: none; and why */
	char *bad_kallsyms;
	struct kallsyms_problem kallsyms_problem;
};

/* @options is copied, the strings in it are borrowed. */
int dso_table_init(struct dso_table *table, const struct dso_options *options);
void dso_table_fini(struct dso_table *table);

/**
 * struct dso_key - what tells dsos apart
 * @build_id: @n_build_id bytes; 0: unknown, which is a dso of its own
 * @program: as in struct dso: it tells no two apart
 */
struct dso_key {
	const char *name;
	const uint8_t *build_id;
	size_t n_build_id;
	enum dso_kind kind;
	bool program;
};

/* Whether an open file is that dso: by build-id; where one has none, by the end of its name. */
bool dso_fits(const struct dso_key *key, const struct elf_file *elf);

/* The number of a dso, made if it is new.  Return: > 0, or -ENOMEM. */
long dso_add(struct dso_table *table, const struct dso_key *key);

/* Looks for the file, the first time.  Return: its code can be read. */
bool dso_load(struct dso_table *table, struct dso *dso);

/* An image of the kernel's memory, with modules, at run-time addresses; NULL: there is none. */
const struct elf_file *dso_kcore(struct dso_table *table);

/* The function of the kernel at the run-time address @addr.  Return: there is one. */
bool dso_kernel_symbol(struct dso_table *table, uint64_t addr, struct elf_symbol *symbol);

#endif /* PERF_DSO_H */
