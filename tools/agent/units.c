// SPDX-License-Identifier: GPL-2.0-only
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../kernel-glue/include/uapi/csf_abi.h"

#define PMU	"/sys/bus/event_source/devices/" CSF_ABI_PMU_NAME "/"

/* TRCIDR0.TSSIZE, TRCIDR2.CIDSIZE: 4 bytes */
#define TSSIZE(idr0)	((idr0) >> 24 & 0x1f)
#define CIDSIZE(idr2)	((idr2) >> 5 & 0x1f)

bool units_are_here(void)
{
	return !access(PMU "type", R_OK);
}

/* Reads one number, after @before.  Return: 0; -ENODEV: there is no such file; -EPROTO. */
static int read_number(const char *name, const char *before, long long *number)
{
	char path[128], text[64] = "";
	const size_t n = strlen(before);
	FILE *f;
	char *end;

	snprintf(path, sizeof(path), PMU "%s", name);
	f = fopen(path, "re");
	if (!f)
		return -ENODEV;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	if (strncmp(text, before, n))
		return -EPROTO;
	*number = strtoll(text + n, &end, 0);
	return end == text + n ? -EPROTO : 0;
}

static int read_register(uint32_t cpu, const char *name, uint32_t *value)
{
	char path[64];
	long long number = 0;
	int err;

	snprintf(path, sizeof(path), "cpu%" PRIu32 "/%s", cpu, name);
	err = read_number(path, "", &number);
	if (!err)
		*value = number;
	return err;
}

/* An ETMv4 has no TRCDEVARCH in sysfs, and not all kernels tell what timestamps count. */
static int read_unit(struct perf_cs_cpu *unit, uint32_t cpu)
{
	struct csf_config *c = &unit->config;
	uint32_t time = PERF_CS_TIME_UNKNOWN;
	int err = read_register(cpu, "trcidr/trcidr0", &c->trcidr0);

	if (!err)
		err = read_register(cpu, "trcidr/trcidr1", &c->trcidr1);
	if (!err)
		err = read_register(cpu, "trcidr/trcidr2", &c->trcidr2);
	if (!err)
		err = read_register(cpu, "trcidr/trcidr8", &c->trcidr8);
	if (!err)
		err = read_register(cpu, "mgmt/trcauthstatus", &unit->authstatus);
	if (err)
		return err;
	read_register(cpu, "mgmt/trcdevarch", &c->trcdevarch);
	read_register(cpu, "ts_source", &time);
	c->size = sizeof(*c);
	unit->cpu = cpu;
	unit->time = (int32_t)time;
	unit->id = CSF_ABI_ID_LEGACY(cpu);
	if (!CSF_ABI_ID_VALID(CSF_ABI_ID_LEGACY(cpu)))
		unit->id = PERF_CS_NO_ID;
	unit->protocol = (c->trcdevarch & CSF_ABI_ARCHID_MASK) == CSF_ABI_ARCHID_ETE ?
			 CSF_PROTOCOL_ETE : CSF_PROTOCOL_ETM4;
	return 0;
}

/* perf record asks for the same: context IDs say which thread runs, and timestamps when. */
static uint32_t choose_config(struct units *units)
{
	long long pid = CSF_ABI_OPT_CONTEXTID1;
	bool contexts = true, times = true;
	uint32_t trcconfigr = 0;

	/* the kernel says which of two registers has the number of the thread */
	read_number("format/contextid", "config:", &pid);
	for (size_t i = 0; i < units->n; i++) {
		contexts &= CIDSIZE(units->cpu[i].config.trcidr2) == 4;
		times &= TSSIZE(units->cpu[i].config.trcidr0) != 0;
	}
	if (contexts) {
		units->config |= 1ull << pid;
		trcconfigr |= pid == CSF_ABI_OPT_CONTEXTID2 ?
			      1u << CSF_ABI_CONFIGR_VMID | 1u << CSF_ABI_CONFIGR_VMIDOPT :
			      1u << CSF_ABI_CONFIGR_CID;
	}
	if (times) {
		units->config |= 1ull << CSF_ABI_OPT_TIMESTAMP;
		trcconfigr |= 1u << CSF_ABI_CONFIGR_TS;
	}
	return trcconfigr;
}

int units_read(struct units *units, const uint32_t *cpu, size_t n)
{
	uint32_t trcconfigr;
	long long type = 0;
	int err = read_number("type", "", &type);

	units->pmu_type = type;
	units->cpu = err ? NULL : calloc(n, sizeof(*units->cpu));
	if (!err && !units->cpu)
		err = -ENOMEM;
	for (; units->n < n && !err; units->n++)
		err = read_unit(&units->cpu[units->n], cpu[units->n]);
	if (err)
		return err;
	trcconfigr = choose_config(units);
	for (size_t i = 0; i < n; i++)
		units->cpu[i].config.trcconfigr = trcconfigr;
	return 0;
}

void units_free(struct units *units)
{
	free(units->cpu);
	*units = (struct units){ 0 };
}
