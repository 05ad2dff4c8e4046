/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Execution on a machine with a system, of A profile: from block to block, over exceptions, and
 * between exception levels.
 *
 *	-plugin csflow-unit.so,shm=FILE[,truth=FILE][,unit=WORDS][,doorbell=on]
 *
 * @shm: the file that is, or becomes, the memory of an ivshmem device, with a channel for each CPU
 * @truth: a log of what the CPUs execute while their units are enabled
 * @unit: what the units are, see enc_setup_parse(); to QEMU a comma in it is two
 * @doorbell: the units raise interrupts, see doorbell.h
 */
#ifndef CSF_QEMU_SYSTEM_H
#define CSF_QEMU_SYSTEM_H

#include "code.h"

/* Makes the units.  Return: 0, or -1 after it has said why not. */
int system_begin(uint64_t id, int argc, char **argv);

/* Does QEMU's command line want these units? */
bool system_is_wanted(int argc, char **argv);

/* As flow_enter() and flow_executed(). */
void system_enter(unsigned int vcpu, void *code);
void system_executed(unsigned int vcpu, struct code *code, const uint8_t *env);

#endif /* CSF_QEMU_SYSTEM_H */
