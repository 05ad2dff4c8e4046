/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A perf.data file: header, attributes, features, and the offsets of its records.
 *
 *	struct perf_file *file;
 *	struct perf_records it;
 *	struct perf_record record;
 *
 *	err = perf_file_open(&file, "perf.data");
 *	perf_records_start(&it, file);
 *	while (perf_records_next(&it, &record))
 *		...
 *
 * Opening walks once over all records (not over trace bytes) and finds all problems; later walks
 * only repeat this.  Memory grows with the number of AUXTRACE records, not with their size.
 *
 * Source: tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef PERF_FILE_H
#define PERF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "perf-problem.h"

/* Feature sections, by their bit in the header */
enum perf_feature {
	PERF_FEATURE_TRACING_DATA	= 1,
	PERF_FEATURE_BUILD_ID		= 2,
	PERF_FEATURE_HOSTNAME		= 3,
	PERF_FEATURE_OSRELEASE		= 4,
	PERF_FEATURE_VERSION		= 5,
	PERF_FEATURE_ARCH		= 6,
	PERF_FEATURE_NRCPUS		= 7,
	PERF_FEATURE_CPUDESC		= 8,
	PERF_FEATURE_CPUID		= 9,
	PERF_FEATURE_TOTAL_MEM		= 10,
	PERF_FEATURE_CMDLINE		= 11,
	PERF_FEATURE_EVENT_DESC		= 12,
	PERF_FEATURE_CPU_TOPOLOGY	= 13,
	PERF_FEATURE_NUMA_TOPOLOGY	= 14,
	PERF_FEATURE_BRANCH_STACK	= 15,
	PERF_FEATURE_PMU_MAPPINGS	= 16,
	PERF_FEATURE_GROUP_DESC		= 17,
	PERF_FEATURE_AUXTRACE		= 18,
	PERF_FEATURE_SAMPLE_TIME	= 21,
	PERF_FEATURE_DIR_FORMAT		= 24,
	PERF_FEATURE_BPF_PROG_INFO	= 25,
	PERF_FEATURE_COMPRESSED		= 27,
	/* written by simpleperf */
	PERF_FEATURE_META_INFO		= 129,
	PERF_FEATURE_ETM_BRANCH_LIST	= 133,
	PERF_FEATURE_INIT_MAP		= 134,
	PERF_FEATURE_NR			= 256
};

/* The values of perf for "no CPU" and "no thread" */
#define PERF_NO_CPU	UINT32_MAX
#define PERF_NO_TID	UINT32_MAX

/**
 * struct perf_evsel - one event that was recorded
 * @attr: as recorded; fields that the headers here do not have are cut off, and fields that only
 *        they have are 0
 * @id: its ids, @n_id of them; in memory of struct perf_file
 * @name: "cs_etm//" and so on; "" if the file has no name
 */
struct perf_evsel {
	struct perf_event_attr attr;
	uint64_t *id;
	size_t n_id;
	char name[64];
};

/**
 * struct perf_section - a piece of the file, always inside it
 * @bytes: borrowed from the file
 * @size: 0 if the file has no such piece
 * @offset: in the file
 */
struct perf_section {
	const uint8_t *bytes;
	uint64_t size;
	uint64_t offset;
};

/**
 * struct perf_build_id - an entry of the build-id table
 * @name: name of the dso; borrowed from the file; ends with 0
 * @id: build-id, @size bytes, 0..20
 * @pid: -1 for the host
 * @kernel: it belongs to the kernel, as misc of the header says
 */
struct perf_build_id {
	const char *name;
	const uint8_t *id;
	int32_t pid;
	uint8_t size;
	bool kernel;
};

/**
 * struct perf_time_conv - conversion from the counter of trace timestamps to perf's clock
 * @shift: ns = @zero + (cycles * @mult >> @shift), without overflow
 * @mult: see @shift; 0: not known
 * @zero: see @shift
 * @cycles: if @is_short: first, cycles = @cycles + (cycles - @cycles & @mask)
 * @mask: see @cycles
 * @is_short: the counter is short
 */
struct perf_time_conv {
	uint64_t shift, mult, zero;
	uint64_t cycles, mask;
	bool is_short;
};

/**
 * struct perf_auxtrace_at - an AUXTRACE record that the walk has seen
 * @offset: offset of its header
 * @size: size of its trace in the file
 * @unpacked: with @packed: offset of its unpacked trace, @n_unpacked bytes
 * @cut: there should be more trace
 * @packed: its trace is compressed
 */
struct perf_auxtrace_at {
	uint64_t offset;
	uint64_t size;
	uint64_t unpacked, n_unpacked;
	bool cut, packed;
};

/*
 * A record that is kept: its @offset in the file, the @end of it and its trace, @at: in perf_keep.
 */
struct perf_kept {
	uint64_t offset, end;
	size_t at;
};

/**
 * struct perf_keep - copies of all records, in order
 * @record: @n of them, with room for @size; their bytes are in @bytes, @n_bytes of @size_bytes
 * @done: there are no more; they must not be used before that
 * @none: there are too many, or something is damaged: read them from the file
 */
struct perf_keep {
	struct perf_kept *record;
	size_t n, size;
	uint8_t *bytes;
	size_t n_bytes, size_bytes;
	bool done, none;
};

#define PERF_HOLES	32

/**
 * struct perf_file - an open perf.data; read-only for its users
 * @problems: what is wrong with it
 * @bytes: the file, @size bytes, mapped; what else is in @region follows
 * @region: the @n_region ranges of records, cut to what is in the file, sorted by offset: those of
 *          the file, of each further file of a directory, and those that were compressed.  The
 *          offsets of all but the first are beyond the end of the file
 * @dir: the directory, if the recording is one; NULL: it is not
 * @foreign: it was written with the other byte order; @bytes is a copy that has been converted,
 *           except for trace and for records that are not read here
 * @usable: it is a perf.data, as far as that can be told
 * @pipe: it was written to a pipe: attributes and features are records
 * @evsel: the @n_evsel events
 * @same_layout: all events write the same sample_id
 * @aux_evsel: the event whose trace is recorded, or NULL
 * @auxtrace_info: the PERF_RECORD_AUXTRACE_INFO, header included
 * @time_conv: from PERF_RECORD_TIME_CONV
 * @auxtrace: all AUXTRACE records, in file order
 * @n_aux: number of PERF_RECORD_AUX
 * @n_hw_id: number of PERF_RECORD_AUX_OUTPUT_HW_ID
 * @n_packed: number of compressed records, and of AUXTRACE records with compressed trace
 * @n_record: number of all records
 * @lost_bytes: bytes of the data section that are not records; @hole: offsets where they begin,
 *              @n_hole of them, of which the first PERF_HOLES are kept
 */
struct perf_file {
	struct perf_problems problems;
	const uint8_t *bytes;
	uint64_t size;
	struct perf_section *region;
	size_t n_region;
	char *dir;
	bool foreign;
	bool usable;
	bool pipe;
	struct perf_evsel *evsel;
	size_t n_evsel;
	bool same_layout;
	const struct perf_evsel *aux_evsel;
	struct perf_section auxtrace_info;
	struct perf_time_conv time_conv;
	struct perf_auxtrace_at *auxtrace;
	size_t n_auxtrace;
	uint64_t n_aux, n_hw_id, n_packed, n_record;
	uint64_t lost_bytes;
	uint64_t hole[PERF_HOLES];
	size_t n_hole;
	/* private */
	struct perf_section feature[PERF_FEATURE_NR];
	size_t init_map;		/* index of the region of INIT_MAP; 0: there is none */
	struct perf_section init_unpacked; /* the unpacked bytes of compressed records in there */
	struct perf_auxtrace_at *index;	/* as in the file's own index, sorted */
	size_t n_index;
	struct perf_id_slot *slot;	/* from id to evsel, sorted */
	size_t n_slot;
	uint64_t n_id;			/* of all events */
	uint64_t foreign_from;		/* from here on records have the other byte order */
	struct perf_keep keep;
	struct perf_jump *jump;
	size_t n_jump;
	struct perf_piece *piece;	/* pieces of the map */
	size_t n_piece;
	void *map;
	size_t n_map;
	size_t n_held;			/* at the beginning of the map: memory, and no file */
	void *copy;			/* copy of what was opened from memory */
	int spilled;			/* descriptor of the copy of a long pipe; 0: none */
};

/**
 * perf_file_open() - open a recording
 * @path: a file; a pipe, or "-" for standard input; or a directory of perf record --threads or
 *        --kcore
 *
 * A file that is not a perf.data, or is heavily damaged, opens, too: see @usable and @problems.
 *
 * Return: 0; -ENOENT and so on if it cannot be read; -ENOMEM.
 */
int perf_file_open(struct perf_file **file, const char *path);

/* As perf_file_open(), for @n bytes that the caller keeps until perf_file_close(). */
int perf_file_open_memory(struct perf_file **file, const void *bytes, size_t n);

void perf_file_close(struct perf_file *file);

/* Gives back the memory of what was read of the file.  It can be read again. */
void perf_file_drop(const struct perf_file *file);

/*
 * The same for the bytes from @from up to @to: for a whole file it takes longer the larger the file
 * is.
 */
void perf_file_drop_part(const struct perf_file *file, uint64_t from, uint64_t to);

/*
 * The caller reads the file from front to back and is at @at: if worthwhile, gives back the memory
 * of what is between *@from and that, and moves *@from.  Each time costs other threads something.
 */
#define PERF_FILE_READ	(4u << 20)	/* approximate number of bytes that stay in memory */
void perf_file_pass(const struct perf_file *file, uint64_t *from, uint64_t at);

/*
 * The file of a directory, or other part, that @offset is in; @offset becomes an offset in that
 * part.
 * Return: @name, of @n bytes; NULL: the recording is one file, and the offset is in it.
 */
const char *perf_file_part(const struct perf_file *file, uint64_t *offset, char *name, size_t n);

/* A feature section; its size is 0 if the file has none. */
struct perf_section perf_file_feature(const struct perf_file *file, enum perf_feature feature);

/* simpleperf record --decode-etm: it has a branch list instead of trace. */
bool perf_file_has_list(const struct perf_file *file);

/**
 * perf_file_string() - a feature that is one string: ARCH, OSRELEASE, HOSTNAME, VERSION, ...
 *
 * Return: the string, borrowed from the file; NULL if there is none.
 */
const char *perf_file_string(const struct perf_file *file, enum perf_feature feature);

/* csflow record made it: its timestamps count instructions, not time. */
#define PERF_EMULATOR	"QEMU, with a trace unit of csflow"	/* feature CPUDESC */
bool perf_file_is_emulated(const struct perf_file *file);

/* simpleperf recorded it, on Android. */
bool perf_file_is_simpleperf(const struct perf_file *file);

/* CPUs online and available during the recording; false if the file does not say. */
bool perf_file_cpus(const struct perf_file *file, uint32_t *online, uint32_t *available);

/**
 * perf_file_build_id() - read the build-id table, entry by entry
 * @pos: set to 0 before the first call
 *
 * Return: true and an entry; false after the last one.
 */
bool perf_file_build_id(const struct perf_file *file, uint64_t *pos, struct perf_build_id *entry);

/* The event with this id; NULL if there is none. */
const struct perf_evsel *perf_file_evsel(const struct perf_file *file, uint64_t id);

/* From the trace counter to perf's clock in ns; @conv->mult must not be 0. */
uint64_t perf_time_from_counter(const struct perf_time_conv *conv, uint64_t counter);

/* From perf's clock in ns to the trace counter. */
uint64_t perf_time_to_counter(const struct perf_time_conv *conv, uint64_t ns);

#endif /* PERF_FILE_H */
