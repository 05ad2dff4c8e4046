/* SPDX-License-Identifier: GPL-2.0-only */
/* The processor that recordings name if it is QEMU's, or if there was none. */
#ifndef CSF_MACHINE_H
#define CSF_MACHINE_H

/* MIDR_EL1 of the processor that qemu-user calls "max" */
#define MACHINE_CPU_ID	"0x00000000000f0510"

#endif /* CSF_MACHINE_H */
