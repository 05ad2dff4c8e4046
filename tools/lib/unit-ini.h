/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of a trace unit in a snapshot. */
#ifndef CSF_UNIT_INI_H
#define CSF_UNIT_INI_H

#include <stdint.h>
#include <stdio.h>

struct csf_config;

/**
 * unit_ini_write() - write the description and the registers of a trace unit; of an MTB, which
 *		      changes its registers, only [regs]
 * @f: errors are left there, see ferror()
 * @config: valid
 * @name: of the device, as trace.ini has it
 * @id: its trace ID
 */
void unit_ini_write(FILE *f, const struct csf_config *config, const char *name, uint8_t id);

#endif /* CSF_UNIT_INI_H */
