/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace units of this machine, as the kernel shows them in sysfs. */
#ifndef CSF_UNITS_H
#define CSF_UNITS_H

#include "../../perf-plugin/perf-cs.h"

/**
 * struct units - zero it, units_read(), units_free()
 * @pmu_type: of cs_etm
 * @config: perf_event_attr.config: context IDs and timestamps, where all units have them
 * @cpu: @n of them
 */
struct units {
	uint32_t pmu_type;
	uint64_t config;
	struct perf_cs_cpu *cpu;
	size_t n;
};

/* Is there a PMU cs_etm here? */
bool units_are_here(void);

/*
 * @cpu: @n numbers of CPUs.  Return: 0; -ENODEV: there is no cs_etm, or a CPU has no trace unit;
 * -EPROTO: a file of sysfs is not as expected; -ENOMEM.
 */
int units_read(struct units *units, const uint32_t *cpu, size_t n);
void units_free(struct units *units);

#endif /* CSF_UNITS_H */
