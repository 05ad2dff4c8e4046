/* SPDX-License-Identifier: GPL-2.0-only */
/* CoreSight metadata: how each CPU's trace unit was programmed, and the CPU of each trace ID. */
#ifndef PERF_CS_H
#define PERF_CS_H

#include "../decoder/csflow.h"
#include "perf-aux.h"

/**
 * enum perf_cs_pid - where a trace unit puts the number of the thread
 * @PERF_CS_PID_NONE: nowhere
 * @PERF_CS_PID_CONTEXTID: csf_context.contextid (CONTEXTIDR_EL1)
 * @PERF_CS_PID_VMID: csf_context.vmid (CONTEXTIDR_EL2: a kernel at EL2)
 */
enum perf_cs_pid { PERF_CS_PID_NONE, PERF_CS_PID_CONTEXTID, PERF_CS_PID_VMID };

/**
 * enum perf_cs_time - the counter that timestamps in trace come from
 */
enum perf_cs_time {
	PERF_CS_TIME_UNKNOWN	= -1,
	PERF_CS_TIME_VIRTUAL	= 1,	/* CNTVCT: perf's clock can be computed from it */
	PERF_CS_TIME_GUEST	= 2,
	PERF_CS_TIME_PHYSICAL	= 3,
};

/*
 * Where the profile is in the word of TRCAUTHSTATUS, a register of 32 bits.  Linux runs on A
 * profile, which is 0; the hidden recording of a snapshot of another profile has it there.
 */
#define PERF_CS_PROFILE		32

/*
 * That recording also has the profile of an ETMv3 in the word of ETMTRACEIDR, and blocks of MTBs,
 * with no word.
 */
#define PERF_CS_MAGIC_MTB	0x6d74626d74626d74ULL

/* The CPU's sink is not known. */
#define PERF_CS_NO_SINK	UINT32_MAX
/* The CPU has no trace ID. */
#define PERF_CS_NO_ID	0xff

/**
 * struct perf_cs_cpu - a CPU's trace unit
 * @config: of the trace unit; @config.size is 0 if the protocol is not decoded
 * @protocol: ETMv4 and ETE are distinguished by TRCDEVARCH where the file has it, not by the magic;
 *            CSF_PROTOCOL_TOLD: neither says
 * @pid: enum perf_cs_pid
 * @time: enum perf_cs_time
 * @timestamps: it writes timestamps
 * @cycles: it counts cycles, so its trace tells how long execution took
 * @authstatus: TRCAUTHSTATUS
 * @id: trace ID from the metadata, 0..0x7f, or PERF_CS_NO_ID; HW_ID records are not in here
 */
struct perf_cs_cpu {
	struct csf_config config;
	uint32_t cpu;
	enum csf_protocol protocol;
	enum perf_cs_pid pid;
	enum perf_cs_time time;
	bool timestamps, cycles;
	uint32_t authstatus;
	uint8_t id;
};

/**
 * struct perf_cs_id - the CPU of a trace ID
 * @cpu: the CPU that is traced
 * @sink: the sink in which this is so; PERF_CS_NO_SINK: all
 * @id: trace ID
 */
struct perf_cs_id {
	uint32_t cpu;
	uint32_t sink;
	uint8_t id;
};

/**
 * struct perf_cs - CoreSight metadata of a recording
 * @version: version of the header, 0..2
 * @pmu_type: perf_event_attr.type of cs_etm
 * @snapshot: the recording is a snapshot
 * @cpu: @n_cpu of them, sorted by number
 * @id: @n_id of them, sorted by sink and ID: from HW_ID records if there are any, otherwise from
 *      metadata
 * @has_hw_id: @id is from HW_ID records
 * @alike: all trace units have the same configuration
 * @timestamps: a trace unit writes timestamps, or was asked to
 * @virtual_time: all trace units count virtual time
 */
struct perf_cs {
	uint32_t version;
	uint32_t pmu_type;
	bool snapshot;
	struct perf_cs_cpu *cpu;
	size_t n_cpu;
	struct perf_cs_id *id;
	size_t n_id;
	bool has_hw_id;
	bool alike;
	bool timestamps;
	bool virtual_time;
	/* private */
	uint64_t conflicts;
	struct perf_cs_sink *sink;	/* sorted by CPU */
	size_t n_sink;
};

/**
 * perf_cs_new() - read the metadata
 * @info: a PERF_RECORD_AUXTRACE_INFO, header included
 * @problems: problems are added to it; may be NULL
 *
 * Needs no struct perf_file, so that it can be used inside perf.
 *
 * Return: 0; -EINVAL if it is not for CoreSight or has no CPU that can be read; -ENOMEM.
 */
int perf_cs_new(struct perf_cs **cs, const struct perf_section *info,
		struct perf_problems *problems);
void perf_cs_free(struct perf_cs *cs);

/**
 * perf_cs_hw_id() - take a PERF_RECORD_AUX_OUTPUT_HW_ID
 * @hw_id: value of the record
 * @cpu: CPU of its sample_id
 *
 * Call it for all such records before the first fragment is decoded; then call perf_cs_ready().
 *
 * Return: 0; -EINVAL: unknown version; -EEXIST: the ID belongs to another CPU; -ENOMEM.
 */
int perf_cs_hw_id(struct perf_cs *cs, uint64_t hw_id, uint32_t cpu);

/* Call after the last perf_cs_hw_id(), even if there was none. */
int perf_cs_ready(struct perf_cs *cs);

/**
 * perf_cs_open() - do all of the above for a file
 * @file: problems are added to it
 * @aux: its fragments; of raw ones whose CPU is not known, that is a problem.  NULL: not asked
 *
 * Return: 0; -ENODATA if it has no AUXTRACE_INFO; otherwise as perf_cs_new().
 */
int perf_cs_open(struct perf_cs **cs, struct perf_file *file, const struct perf_aux *aux);

/*
 * Can trace be ordered by its timestamps?  There must be timestamps of virtual time, and perf's
 * clock must be known.
 * @trust: they are of virtual time even if the metadata does not say so.  @cs may be NULL.
 */
bool perf_cs_timed(const struct perf_cs *cs, const struct perf_time_conv *conv, bool trust);

/* The trace unit of a CPU; NULL if the file has none for that CPU. */
const struct perf_cs_cpu *perf_cs_cpu(const struct perf_cs *cs, uint32_t cpu);

/**
 * perf_cs_config() - the configuration to decode a CPU's trace
 *
 * Return: 0: for csf_new(); -ENOENT: nothing is known of that CPU; -EOPNOTSUPP: its protocol is not
 * decoded, or has messages and no execution.
 */
int perf_cs_config(const struct perf_cs *cs, uint32_t cpu, struct csf_config *config);

/**
 * perf_cs_ids() - the trace IDs that a fragment of frames may hold
 * @fragment: one without PERF_FRAGMENT_RAW
 * @id: room for CSF_ID_MAX entries, one for each ID
 *
 * Return: number of entries.
 */
size_t perf_cs_ids(const struct perf_cs *cs, const struct perf_fragment *fragment,
		   struct perf_cs_id *id);

/* The CPU whose trace has @id in @fragment; PERF_NO_CPU if none is known. */
uint32_t perf_cs_cpu_of_id(const struct perf_cs *cs, const struct perf_fragment *fragment,
			   uint8_t id);

/**
 * perf_cs_cpu_of_raw() - the CPU of a raw fragment
 *
 * perf of Linux 6.1 does not record the CPU with --per-thread; perf of 6.12 does.
 *
 * Return: its CPU; if that is not known, the first one, if all trace units are alike; otherwise
 * PERF_NO_CPU.
 */
uint32_t perf_cs_cpu_of_raw(const struct perf_cs *cs, const struct perf_fragment *fragment);

/* The thread of @context, as @cpu reports it; PERF_NO_TID if it does not. */
uint32_t perf_cs_tid(const struct perf_cs_cpu *cpu, const struct csf_context *context);

#endif /* PERF_CS_H */
