/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording says of the processor, where the processor is QEMU's or never was. */
#ifndef CSF_MACHINE_H
#define CSF_MACHINE_H

/* MIDR_EL1 of the processor that qemu-user calls "max" */
#define MACHINE_CPU_ID	"0x00000000000f0510"

#endif /* CSF_MACHINE_H */
