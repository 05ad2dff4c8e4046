/* SPDX-License-Identifier: GPL-2.0-only */
/* Execution on a machine with a Cortex-M, without a system: from block to block, and exceptions. */
#ifndef CSF_QEMU_MACHINE_H
#define CSF_QEMU_MACHINE_H

#include "vcpu.h"

/* The truth log to finish at the end, or NULL.  Return: this QEMU has what machines need. */
bool machine_begin(struct truth_writer *truth);

/* Asks QEMU to tell of the execution of @tb, which is @code. */
void machine_watch(struct qemu_plugin_tb *tb, struct code *code);

/* As flow_enter() and flow_executed(). */
void machine_enter(unsigned int vcpu, void *code);
void machine_executed(unsigned int vcpu, struct code *code, const uint8_t *env);

/* Ends the recording. */
void machine_end(void);

#endif /* CSF_QEMU_MACHINE_H */
