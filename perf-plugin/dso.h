/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dsos: files that a recording names, and their places now.
 *
 * A dso is looked for when its code, or a symbol, is first needed, not before: a recording of a
 * whole system names thousands.
 */
#ifndef PERF_DSO_H
#define PERF_DSO_H

#include "code-changes.h"
#include "elf.h"
#include "kallsyms.h"

/**
 * enum dso_kind - the kind of thing that a name stands for
 * @DSO_FILE: a file that a process mapped
 * @DSO_KERNEL: the kernel itself
 * @DSO_MODULE: a kernel module
 * @DSO_NONE: no file: anonymous memory, stack, heap, code made at run time
 * @DSO_SYMBOL: code that the kernel made at run time, by its symbol: a BPF program, a trampoline
 */
enum dso_kind { DSO_FILE, DSO_KERNEL, DSO_MODULE, DSO_NONE, DSO_SYMBOL };

/**
 * enum dso_state - the result of looking for the file
 * @DSO_UNSEEN: it was not needed yet
 * @DSO_FOUND: found by its build-id
 * @DSO_UNCHECKED: found by its name; the recording or the file has no build-id to compare
 * @DSO_MISSING: there is no such file here
 * @DSO_DIFFERENT: there is a file, but not the one that was recorded
 * @DSO_FOREIGN: there is a file, but for another kind of processor
 * @DSO_UNREADABLE: there is a file, but it cannot be read
 * @DSO_IN_KCORE: there is no file, but its code is in the image of the kernel's memory
 * @DSO_CHANGED: no file: it stands for code of the kernel that changed during the recording, so
 *               that it is not known which ran
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
	DSO_CHANGED,
};

/* "found", "missing" and so on. */
const char *dso_state_name(enum dso_state state);

/**
 * struct dso_options - where to look
 * @symfs: directory to use instead of "/"; NULL: "/"
 * @vmlinux: the kernel; NULL: look for it by its build-id.  It has names, lines and addresses, and
 *           code if there is no image of the memory
 * @debug_dir: the build-id cache; NULL: $PERF_BUILDID_DIR, or ~/.debug
 * @release: release of the kernel that was recorded; may be NULL
 * @kcore: an image of the kernel's memory; NULL: that of the recording, or none
 * @kallsyms: names of the kernel's functions; NULL: those of the recording, or of the build-id
 *            cache
 * @recording: the directory of the recording, which may have both; NULL: the recording is a file
 * @debuginfod: ask the servers of $DEBUGINFOD_URLS for files that are not here
 * @given: @n_given files that are tried before all others, each for the dso with its build-id
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
 * struct dso - a dso
 * @name: as in the recording; owned
 * @build_id: @n_build_id bytes, as in the recording; 0: the recording has none
 * @kind: enum dso_kind
 * @state: enum dso_state
 * @elf: the file, if @state is DSO_FOUND or DSO_UNCHECKED.  Of a kernel its code may have changed
 *       since it was built: see dso_kcore()
 * @path: path of that file, or of a file that was refused; NULL: there was none; owned
 * @base: for a module: address at which it counts as loaded, for branches that leave it; 0: none
 * @program: a process ran it: it is the first file that a process mapped
 * @wanted: its code was needed to decode, and is not here
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
	bool program, wanted;
	/* private */
	uint32_t next;			/* next with the same hash */
	uint64_t distance;		/* see dso_memory(); @placed: it was looked for */
	bool placed, in_memory;
};

/* All dsos of a recording; numbers start at 1 and do not change. */
struct dso_table {
	struct dso_options options;
	struct dso **dso;
	size_t n, size;
	uint32_t *hash;
	size_t n_hash;
	/* private: see dso_kcore(), dso_kernel_symbol() */
	struct dso *kernel;
	struct elf_file *kcore;
	struct kallsyms *kallsyms;
	bool asked, looked, compared;
	struct code_changes changes;
	/* an image of the kernel's memory that is not used, NULL: none; and the reason */
	char *bad_kcore;
	const char *kcore_problem;
	/* one from the end of the recording that has nothing in common with the other; or NULL */
	char *bad_second;
	/* names of the kernel's functions that cannot be used, NULL: none; and the reason */
	char *bad_kallsyms;
	struct kallsyms_problem kallsyms_problem;
};

/* @options is copied, the strings in it are borrowed. */
int dso_table_init(struct dso_table *table, const struct dso_options *options);
void dso_table_fini(struct dso_table *table);

/**
 * struct dso_key - what distinguishes dsos
 * @build_id: @n_build_id bytes; 0: unknown, which is a separate dso
 * @program: as in struct dso; not part of the comparison
 */
struct dso_key {
	const char *name;
	const uint8_t *build_id;
	size_t n_build_id;
	enum dso_kind kind;
	bool program;
};

/* Is this open file that dso?  By build-id; if one has none, by the end of its name. */
bool dso_fits(const struct dso_key *key, const struct elf_file *elf);

/*
 * Offers a file for the dsos with its build-id, in all tables from now on: one that the process
 * made itself, and that has no name.  @path is copied; it must stay valid.  Return: there was
 * memory.
 */
bool dso_offer(const char *path);

/* The number of a dso, which is added if it is new.  Return: > 0, or -ENOMEM. */
long dso_add(struct dso_table *table, const struct dso_key *key);

/* Looks for the file, the first time.  Return: its code can be read. */
bool dso_load(struct dso_table *table, struct dso *dso);

/*
 * An image of the kernel's memory, including modules, at run-time addresses: the code as it was
 * executed.  NULL: there is none.
 */
const struct elf_file *dso_kcore(struct dso_table *table);

/*
 * The same, if it has @dso, a kernel or a module, and it is known where: @distance more than the
 * addresses of its file.
 */
const struct elf_file *dso_memory(struct dso_table *table, struct dso *dso, uint64_t *distance);

/*
 * The code that changed during the recording, if the directory of the recording has the memory of
 * the kernel from the end, too; it is empty if @options.kcore is set, as that is another image.
 * NULL: no memory.
 */
const struct code_changes *dso_changes(struct dso_table *table);

/* The number of the dso that stands for that code.  Return: > 0, or -ENOMEM. */
long dso_add_changed(struct dso_table *table);

/* Notes that the image at @path is not used; @why is a constant. */
void dso_refuse_kcore(struct dso_table *table, const char *path, const char *why);

/* The function of the kernel at the run-time address @addr.  Return: there is one. */
bool dso_kernel_symbol(struct dso_table *table, uint64_t addr, struct elf_symbol *symbol);

/**
 * struct dso_place - a place in a dso, to be named
 * @dso: looked for before: dso_load()
 * @addr: address by the headers of its file
 * @run: address at run time; of kernels and modules only
 * @in_file: its file is there, and has code at @addr
 */
struct dso_place {
	struct dso *dso;
	uint64_t addr, run;
	bool in_file;
};

/**
 * dso_symbol() - the function at @place: the one way to the names of code
 *
 * From the symbols of the file; for the kernel and its modules, from the names of the kernel's
 * functions; or else as elf_file_symbol() makes it.  Its address is one of the same kind as @addr.
 *
 * Return: there is one; false: there is no file, or no code in the file at @addr.
 */
bool dso_symbol(struct dso_table *table, const struct dso_place *place, struct elf_symbol *symbol);

#endif /* PERF_DSO_H */
