// SPDX-License-Identifier: GPL-2.0-only
/* PERF_RECORD_AUXTRACE_INFO: a block of 64-bit words for each CPU. */
#include "perf-cs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../decoder/bytes.h"
#include "../kernel-glue/include/uapi/csf_abi.h"

/* Before the words: record header, type, 4 unused bytes */
#define INFO_TYPE	8
#define INFO_WORDS	16

/* Maximum number of parameters. */
#define PARAMS_MAX	64

/* No machine has a higher CPU number. */
#define CPU_MAX		65535

/* The position of the reader. */
struct cursor {
	struct perf_problems *problems;
	const uint8_t *bytes;
	uint64_t offset;		/* of @bytes in the file */
	size_t at, n;			/* in words */
};

static uint64_t word(const struct cursor *cur, size_t i)
{
	return get_le64(cur->bytes + 8 * i);
}

static uint64_t file_offset(const struct cursor *cur)
{
	return cur->offset + 8 * cur->at;
}

/* A parameter that the file does not have is 0. */
struct params {
	const struct cursor *cur;
	size_t first, n;
};

static uint64_t param(const struct params *params, size_t i)
{
	return i < params->n ? word(params->cur, params->first + i) : 0;
}

/* Reports registers that no trace unit has, as their trace will be missing. */
static void check_registers(const struct perf_cs_cpu *cpu, const struct params *params)
{
	const char *problem = csf_config_problem(&cpu->config);

	if (problem)
		perf_problem_add(params->cur->problems, PERF_DAMAGE, file_offset(params->cur),
				 "the registers of the trace unit of CPU %u are wrong: %s: its trace is not decoded",
				 cpu->cpu, problem + (*problem == '.'));
}

static void take_etm3(struct perf_cs_cpu *cpu, const struct params *params)
{
	struct csf_config *config = &cpu->config;

	config->size = sizeof(*config);
	config->etmcr = param(params, CSF_ABI_ETM3_ETMCR);
	config->etmccer = param(params, CSF_ABI_ETM3_ETMCCER);
	config->etmidr = param(params, CSF_ABI_ETM3_ETMIDR);
	config->profile = param(params, CSF_ABI_ETM3_ETMTRACEIDR) >> PERF_CS_PROFILE & 3;
	config->protocol = (config->etmidr & 0x300) == 0x300 ? CSF_PROTOCOL_PTM : CSF_PROTOCOL_ETM3;
	cpu->protocol = config->protocol;
	cpu->time = PERF_CS_TIME_UNKNOWN;
	cpu->timestamps = config->etmcr & BIT(CSF_ABI_ETMCR_TIMESTAMP);
	cpu->cycles = config->etmcr & BIT(CSF_ABI_ETMCR_CYCLES);
	if (config->etmcr & BIT(CSF_ABI_ETMCR_CONTEXTID))
		cpu->pid = PERF_CS_PID_CONTEXTID;
	if (params->n > CSF_ABI_ETM3_ETMTRACEIDR)
		cpu->id = param(params, CSF_ABI_ETM3_ETMTRACEIDR) & CSF_ABI_ID_MASK;
	check_registers(cpu, params);
}

static void take_mtb(struct perf_cs_cpu *cpu)
{
	cpu->config = (struct csf_config){
		.size = sizeof(cpu->config), .protocol = CSF_PROTOCOL_MTB,
		.profile = CSF_PROFILE_M,
	};
	cpu->protocol = CSF_PROTOCOL_MTB;
	cpu->id = 0;
}

/* The magic only gives the number of words: simpleperf writes that of ETE for ETMv4. */
static enum csf_protocol protocol_of(uint64_t magic, uint32_t devarch)
{
	switch (devarch & CSF_ABI_ARCHID_MASK) {
	case CSF_ABI_ARCHID_ETM4:
		return CSF_PROTOCOL_ETM4;
	case CSF_ABI_ARCHID_ETE:
		return CSF_PROTOCOL_ETE;
	default:
		return magic == CSF_ABI_MAGIC_ETE ? CSF_PROTOCOL_ETE : CSF_PROTOCOL_ETM4;
	}
}

/*
 * perf did not record the source before Linux 6.3.  But a CPU with an ETE has FEAT_TRF, and if a
 * CPU has that, Linux has set TRFCR_ELx.TS to the virtual counter since before it had a driver for
 * ETEs (5.13).
 */
static enum perf_cs_time time_of(const struct params *params, size_t i, enum csf_protocol protocol)
{
	int64_t source = i < params->n ? (int64_t)param(params, i) : CSF_ABI_TS_UNKNOWN;

	if (i >= params->n && protocol == CSF_PROTOCOL_ETE)
		return PERF_CS_TIME_VIRTUAL;
	return source >= PERF_CS_TIME_VIRTUAL && source <= PERF_CS_TIME_PHYSICAL ?
	       (enum perf_cs_time)source : PERF_CS_TIME_UNKNOWN;
}

static void take_etm4(struct perf_cs_cpu *cpu, const struct params *params, uint64_t magic)
{
	bool ete = magic == CSF_ABI_MAGIC_ETE;
	struct csf_config *config = &cpu->config;

	config->size = sizeof(*config);
	config->trcconfigr = param(params, CSF_ABI_ETM4_TRCCONFIGR);
	config->trcidr0 = param(params, CSF_ABI_ETM4_TRCIDR0);
	config->trcidr1 = param(params, CSF_ABI_ETM4_TRCIDR1);
	config->trcidr2 = param(params, CSF_ABI_ETM4_TRCIDR2);
	config->trcidr8 = param(params, CSF_ABI_ETM4_TRCIDR8);
	config->trcdevarch = ete ? param(params, CSF_ABI_ETE_TRCDEVARCH) : 0;
	cpu->authstatus = param(params, CSF_ABI_ETM4_TRCAUTHSTATUS);
	config->profile = param(params, CSF_ABI_ETM4_TRCAUTHSTATUS) >> PERF_CS_PROFILE & 3;
	cpu->protocol = protocol_of(magic, config->trcdevarch);
	cpu->timestamps = config->trcconfigr & BIT(CSF_ABI_CONFIGR_TS);
	cpu->cycles = config->trcconfigr & BIT(CSF_ABI_CONFIGR_CCI);
	cpu->time = time_of(params, ete ? CSF_ABI_ETE_TS_SOURCE : CSF_ABI_ETM4_TS_SOURCE,
			    cpu->protocol);
	if (config->trcconfigr & BIT(CSF_ABI_CONFIGR_VMID) &&
	    config->trcconfigr & BIT(CSF_ABI_CONFIGR_VMIDOPT))
		cpu->pid = PERF_CS_PID_VMID;
	else if (config->trcconfigr & BIT(CSF_ABI_CONFIGR_CID))
		cpu->pid = PERF_CS_PID_CONTEXTID;
	if (params->n > CSF_ABI_ETM4_TRCTRACEIDR)
		cpu->id = param(params, CSF_ABI_ETM4_TRCTRACEIDR) & CSF_ABI_ID_MASK;
	check_registers(cpu, params);
}

/* Version 0 has no ETE. */
static bool is_known(uint32_t version, uint64_t magic)
{
	return magic == CSF_ABI_MAGIC_ETM3 || magic == CSF_ABI_MAGIC_ETM4 ||
	       ((magic == CSF_ABI_MAGIC_ETE || magic == PERF_CS_MAGIC_MTB) && version);
}

/* Version 0 has no number of parameters: it depends on the magic. */
static size_t count_params(const struct cursor *cur, uint32_t version, uint64_t magic)
{
	if (version)
		return word(cur, cur->at + CSF_ABI_CPU_N_PARAMS) <= PARAMS_MAX ?
		       word(cur, cur->at + CSF_ABI_CPU_N_PARAMS) : PARAMS_MAX + 1;
	return magic == CSF_ABI_MAGIC_ETM3 ? CSF_ABI_ETM3_N_PARAMS : CSF_ABI_ETM4_N_PARAMS_V0;
}

/* Return: it is a complete block. */
static bool take_cpu(struct cursor *cur, uint32_t version, struct perf_cs_cpu *cpu)
{
	size_t common = version ? CSF_ABI_CPU_PARAMS : CSF_ABI_CPU_PARAMS_V0;
	struct params params = { .cur = cur, .first = cur->at + common };
	uint64_t magic = word(cur, cur->at + CSF_ABI_CPU_MAGIC);
	uint64_t number;

	if (!is_known(version, magic))
		perf_problem_add(cur->problems, PERF_DAMAGE, file_offset(cur),
				 "AUXTRACE_INFO: magic %#" PRIx64 " of a CPU is unknown: its trace is not decoded",
				 magic);
	/* without the number of parameters the next block cannot be found */
	if (!is_known(version, magic) && !version)
		return false;
	if (cur->n - cur->at < common)
		goto cut;
	params.n = count_params(cur, version, magic);
	if (params.n > cur->n - cur->at - common)
		goto cut;
	number = word(cur, cur->at + CSF_ABI_CPU_NUMBER);
	if (number > CPU_MAX)
		perf_problem_add(cur->problems, PERF_DAMAGE, file_offset(cur) + 8,
				 "AUXTRACE_INFO: CPU number %" PRIu64 " cannot be", number);
	*cpu = (struct perf_cs_cpu){ .cpu = number > CPU_MAX ? PERF_NO_CPU : number,
				     .id = PERF_CS_NO_ID, .time = PERF_CS_TIME_UNKNOWN };
	if (magic == CSF_ABI_MAGIC_ETM3)
		take_etm3(cpu, &params);
	else if (magic == PERF_CS_MAGIC_MTB)
		take_mtb(cpu);
	else if (is_known(version, magic))
		take_etm4(cpu, &params, magic);
	cur->at += common + params.n;
	return true;
cut:
	perf_problem_add(cur->problems, PERF_DAMAGE, file_offset(cur),
			 "AUXTRACE_INFO: the block of a CPU reaches beyond the record");
	return false;
}

static int compare_cpus(const void *a, const void *b)
{
	const struct perf_cs_cpu *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static void take_cpus(struct perf_cs *cs, struct cursor *cur, size_t says)
{
	size_t n = 0;

	while (n < says && cur->at < cur->n && take_cpu(cur, cs->version, &cs->cpu[cs->n_cpu])) {
		n++;
		cs->n_cpu += cs->cpu[cs->n_cpu].cpu != PERF_NO_CPU;
	}
	if (n < says)
		perf_problem_add(cur->problems, PERF_DAMAGE,
				 cur->offset + 8 * CSF_ABI_INFO_PMU_CPUS,
				 "AUXTRACE_INFO says %zu CPUs and has %zu", says, n);
	else if (cur->at < cur->n)
		perf_problem_add(cur->problems, PERF_NOTE, file_offset(cur),
				 "AUXTRACE_INFO: %zu bytes after the last CPU",
				 8 * (cur->n - cur->at));
	qsort(cs->cpu, cs->n_cpu, sizeof(*cs->cpu), compare_cpus);
	n = cs->n_cpu;
	cs->n_cpu = 0;
	for (size_t i = 0; i < n; i++) {
		if (i && cs->cpu[i].cpu == cs->cpu[i - 1].cpu)
			perf_problem_add(cur->problems, PERF_DAMAGE, cur->offset,
					 "AUXTRACE_INFO describes CPU %u twice", cs->cpu[i].cpu);
		else
			cs->cpu[cs->n_cpu++] = cs->cpu[i];
	}
}

static bool is_alike(const struct perf_cs_cpu *a, const struct perf_cs_cpu *b)
{
	return a->protocol == b->protocol && a->pid == b->pid && a->time == b->time &&
	       !memcmp(&a->config, &b->config, sizeof(a->config));
}

/* Sets what is true for all CPUs together. */
static void sum_up(struct perf_cs *cs)
{
	cs->virtual_time = cs->n_cpu > 0;
	cs->alike = cs->n_cpu > 0;
	for (size_t i = 0; i < cs->n_cpu; i++) {
		const struct perf_cs_cpu *cpu = &cs->cpu[i];

		cs->timestamps |= cpu->config.size && cpu->timestamps;
		cs->virtual_time &= cpu->time == PERF_CS_TIME_VIRTUAL;
		cs->alike &= is_alike(cpu, &cs->cpu[0]);
	}
}

static int check_info(const struct perf_section *info, struct perf_problems *problems)
{
	uint64_t version;

	if (info->size < INFO_WORDS + 8 * CSF_ABI_INFO_WORDS) {
		perf_problem_add(problems, PERF_DAMAGE, info->offset,
				 "AUXTRACE_INFO of %" PRIu64 " bytes is too short", info->size);
		return -EINVAL;
	}
	if (get_le32(info->bytes + INFO_TYPE) != CSF_ABI_AUXTRACE_TYPE) {
		perf_problem_add(problems, PERF_DAMAGE, info->offset + INFO_TYPE,
				 "AUXTRACE_INFO is of type %u: this is not CoreSight trace",
				 get_le32(info->bytes + INFO_TYPE));
		return -EINVAL;
	}
	version = get_le64(info->bytes + INFO_WORDS);
	if (version > CSF_ABI_INFO_VERSION_MAX) {
		perf_problem_add(problems, PERF_DAMAGE, info->offset + INFO_WORDS,
				 "AUXTRACE_INFO is of version %" PRIu64 "; known are 0 to %d",
				 version, CSF_ABI_INFO_VERSION_MAX);
		return -EINVAL;
	}
	return 0;
}

int perf_cs_new(struct perf_cs **answer, const struct perf_section *info,
		struct perf_problems *problems)
{
	struct cursor cur = { .problems = problems, .at = CSF_ABI_INFO_WORDS };
	int err = check_info(info, problems);
	struct perf_cs *cs;

	*answer = NULL;
	if (err)
		return err;
	cur.bytes = info->bytes + INFO_WORDS;
	cur.offset = info->offset + INFO_WORDS;
	cur.n = (info->size - INFO_WORDS) / 8;
	cs = calloc(1, sizeof(*cs));
	if (!cs)
		return -ENOMEM;
	cs->version = word(&cur, CSF_ABI_INFO_VERSION);
	cs->pmu_type = word(&cur, CSF_ABI_INFO_PMU_CPUS) >> 32;
	cs->snapshot = word(&cur, CSF_ABI_INFO_SNAPSHOT);
	/* the number may be wrong: no block has fewer than two words */
	cs->cpu = calloc(cur.n / 2 + 1, sizeof(*cs->cpu));
	if (!cs->cpu) {
		perf_cs_free(cs);
		return -ENOMEM;
	}
	take_cpus(cs, &cur, (uint32_t)word(&cur, CSF_ABI_INFO_PMU_CPUS));
	sum_up(cs);
	if (!cs->n_cpu) {
		perf_cs_free(cs);
		return -EINVAL;
	}
	*answer = cs;
	return 0;
}

void perf_cs_free(struct perf_cs *cs)
{
	if (!cs)
		return;
	free(cs->cpu);
	free(cs->id);
	free(cs->sink);
	free(cs);
}

bool perf_cs_timed(const struct perf_cs *cs, const struct perf_time_conv *conv, bool trust)
{
	return cs && cs->timestamps && (cs->virtual_time || trust) && conv->mult;
}

const struct perf_cs_cpu *perf_cs_cpu(const struct perf_cs *cs, uint32_t cpu)
{
	struct perf_cs_cpu key = { .cpu = cpu };

	return bsearch(&key, cs->cpu, cs->n_cpu, sizeof(key), compare_cpus);
}

int perf_cs_config(const struct perf_cs *cs, uint32_t cpu, struct csf_config *config)
{
	const struct perf_cs_cpu *unit = perf_cs_cpu(cs, cpu);

	if (!unit)
		return -ENOENT;
	if (!unit->config.size || csf_config_has_messages(&unit->config))
		return -EOPNOTSUPP;
	*config = unit->config;
	return 0;
}

uint32_t perf_cs_tid(const struct perf_cs_cpu *cpu, const struct csf_context *context)
{
	if (cpu->pid == PERF_CS_PID_VMID && context->has_vmid)
		return context->vmid;
	if (cpu->pid == PERF_CS_PID_CONTEXTID && context->has_contextid)
		return context->contextid;
	return PERF_NO_TID;
}
