/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of a perf.data: in file order, sorted by time, and unpacked. */
#ifndef PERF_RECORD_H
#define PERF_RECORD_H

#include "perf-file.h"

/**
 * struct perf_record - a record as it is in the file
 * @bytes: its @size bytes, header first; borrowed from the file; not aligned
 * @offset: offset of the header in the file
 * @type: PERF_RECORD_x
 * @misc: misc field of the header
 * @size: header included, 8..65535
 * @trace: PERF_RECORD_AUXTRACE: the trace bytes after it, as many as there are
 */
struct perf_record {
	const uint8_t *bytes;
	uint64_t offset;
	uint32_t type;
	uint16_t misc;
	uint16_t size;
	struct perf_section trace;
};

/* Iterator in file order.  It skips what is damaged. */
struct perf_records {
	const struct perf_file *file;
	uint64_t pos;
	/* number of bytes that the last call skipped, and their place; 0: none */
	uint64_t skipped;
	uint64_t skipped_at;
	bool short_trace;	/* the returned AUXTRACE has fewer bytes of trace than it says */
	/* private */
	uint64_t passed;	/* bytes before this need not stay in memory */
	size_t kept;		/* index of the next kept record */
};

void perf_records_start(struct perf_records *it, const struct perf_file *file);

/* Return: true and a record; false at the end. */
bool perf_records_next(struct perf_records *it, struct perf_record *record);

/* Reads the record whose header is at @offset, as perf_records_next() returned it before. */
bool perf_record_at(const struct perf_file *file, uint64_t offset, struct perf_record *record);

/* struct perf_sample_id.has, and likewise for other optional fields */
#define PERF_HAS_TID	0x01
#define PERF_HAS_TIME	0x02
#define PERF_HAS_ID	0x04
#define PERF_HAS_CPU	0x08

/**
 * struct perf_sample_id - thread, CPU and time of a record
 * @evsel: the event; NULL: not known
 * @has: PERF_HAS_x, the fields that are set; others are 0, or PERF_NO_CPU and PERF_NO_TID
 */
struct perf_sample_id {
	const struct perf_evsel *evsel;
	uint64_t time;
	uint64_t id;
	uint32_t pid, tid;
	uint32_t cpu;
	uint32_t has;
};

/**
 * perf_record_id() - the sample_id of a record
 *
 * Works for records of the kernel (types below 64), including PERF_RECORD_SAMPLE.  The time of FORK
 * and EXIT is taken from their body if there is no sample_id.
 */
void perf_record_id(const struct perf_file *file, const struct perf_record *record,
		    struct perf_sample_id *id);

/*
 * The raw bytes of a sample: the fields of a tracepoint, in the byte order of the machine that was
 * recorded.  Return: there are some.
 */
bool perf_record_raw(const struct perf_file *file, const struct perf_record *record,
		     struct perf_section *raw);

/**
 * struct perf_mmap - MMAP and MMAP2
 * @addr: first address of @len bytes
 * @pgoff: offset in the file
 * @name: name of the file; ends with 0; borrowed; "" if the record is too short
 * @build_id: @n_build_id bytes, 0: none; borrowed
 * @maj: device and inode, if @n_build_id is 0
 * @prot: PROT_x; MMAP: PROT_EXEC unless misc says data
 * @cpumode: PERF_RECORD_MISC_USER, _KERNEL, ...
 */
struct perf_mmap {
	uint64_t addr, len, pgoff;
	const char *name;
	const uint8_t *build_id;
	uint64_t ino, ino_generation;
	uint32_t n_build_id;
	uint32_t pid, tid;
	uint32_t maj, min;
	uint32_t prot, flags;
	uint16_t cpumode;
};

/* Each function returns false if the record is of another type or too short for it. */
bool perf_record_mmap(const struct perf_record *record, struct perf_mmap *mmap);

/**
 * struct perf_task - COMM, FORK, EXIT, ITRACE_START, SWITCH, SWITCH_CPU_WIDE, NAMESPACES
 * @pid: process; SWITCH_CPU_WIDE: that of the next or previous task
 * @tid: thread; likewise
 * @ppid: FORK, EXIT: parent process
 * @ptid: FORK, EXIT: parent thread
 * @comm: COMM: the name, ends with 0; borrowed; "" otherwise
 * @exec: COMM: set by exec
 * @out: SWITCH, SWITCH_CPU_WIDE: the task of the sample_id leaves the CPU; otherwise it enters
 * @preempt: with @out: it was preempted
 */
struct perf_task {
	uint32_t pid, tid;
	uint32_t ppid, ptid;
	const char *comm;
	bool exec;
	bool out;
	bool preempt;
};

bool perf_record_task(const struct perf_record *record, struct perf_task *task);

/**
 * struct perf_aux_record - PERF_RECORD_AUX
 * @offset: offset of the first byte in the AUX ring, counted from the start of recording
 * @size: bytes
 * @flags: PERF_AUX_FLAG_x
 */
struct perf_aux_record {
	uint64_t offset, size, flags;
};

bool perf_record_aux(const struct perf_record *record, struct perf_aux_record *aux);

/**
 * struct perf_auxtrace - PERF_RECORD_AUXTRACE
 * @size: number of trace bytes, as the record says
 * @offset: offset of the first byte in the AUX ring
 * @cpu: PERF_NO_CPU: per thread
 * @tid: PERF_NO_TID: per CPU
 */
struct perf_auxtrace {
	uint64_t size, offset, reference;
	uint32_t idx, tid, cpu;
};

bool perf_record_auxtrace(const struct perf_record *record, struct perf_auxtrace *auxtrace);

/* PERF_RECORD_AUX_OUTPUT_HW_ID */
bool perf_record_hw_id(const struct perf_record *record, uint64_t *hw_id);

/**
 * struct perf_ksymbol - PERF_RECORD_KSYMBOL
 * @name: ends with 0; borrowed
 * @type: PERF_RECORD_KSYMBOL_TYPE_x
 * @gone: it was unregistered
 */
struct perf_ksymbol {
	uint64_t addr;
	uint32_t len;
	uint16_t type;
	bool gone;
	const char *name;
};

bool perf_record_ksymbol(const struct perf_record *record, struct perf_ksymbol *ksymbol);

/* PERF_RECORD_TEXT_POKE: @old_len bytes at @addr were replaced by @new_len others; borrowed */
struct perf_text_poke {
	uint64_t addr;
	uint16_t old_len, new_len;
	const uint8_t *old_bytes, *new_bytes;
};

bool perf_record_text_poke(const struct perf_record *record, struct perf_text_poke *poke);

/* PERF_RECORD_LOST, PERF_RECORD_LOST_SAMPLES: the number of records or samples */
bool perf_record_lost(const struct perf_record *record, uint64_t *lost);

/*
 * Records by time.  @kinds has bit PERF_RECORD_x set for each type wanted, all below 64.  Records
 * of the same time stay in file order; records without time count as time 0.
 */
struct perf_timeline {
	struct perf_moment *moment;
	size_t n;
};

/**
 * struct perf_moment - an entry of a timeline
 * @time: perf's clock, ns
 * @offset: offset of the record, for perf_record_at()
 */
struct perf_moment {
	uint64_t time;
	uint64_t offset;
};

#define PERF_KIND(type)		(1ull << (type))
/* Records that tell which code ran where */
#define PERF_KINDS_SIDEBAND	(PERF_KIND(PERF_RECORD_MMAP) | PERF_KIND(PERF_RECORD_MMAP2) |	\
	PERF_KIND(PERF_RECORD_COMM) | PERF_KIND(PERF_RECORD_FORK) | PERF_KIND(PERF_RECORD_EXIT) | \
	PERF_KIND(PERF_RECORD_AUX) | PERF_KIND(PERF_RECORD_ITRACE_START) |			\
	PERF_KIND(PERF_RECORD_AUX_OUTPUT_HW_ID) | PERF_KIND(PERF_RECORD_SWITCH) |		\
	PERF_KIND(PERF_RECORD_SWITCH_CPU_WIDE) | PERF_KIND(PERF_RECORD_KSYMBOL) |		\
	PERF_KIND(PERF_RECORD_TEXT_POKE) | PERF_KIND(PERF_RECORD_NAMESPACES))

/* Takes 16 bytes for each record wanted.  Return: 0, -ENOMEM. */
int perf_timeline_init(struct perf_timeline *timeline, const struct perf_file *file,
		       uint64_t kinds);
void perf_timeline_fini(struct perf_timeline *timeline);

#endif /* PERF_RECORD_H */
