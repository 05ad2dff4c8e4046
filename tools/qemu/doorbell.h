/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupts of the guest's CPUs, by an ivshmem device of QEMU: it takes its memory and its
 * interrupts from a server, on a socket.  The unit is that server: vector n of
 *
 *	-device ivshmem-doorbell,vectors=8,chardev=csflow
 *
 * interrupts CPU n.
 */
#ifndef CSF_QEMU_DOORBELL_H
#define CSF_QEMU_DOORBELL_H

/* The most vectors. */
#define DOORBELL_MAX	8

/**
 * doorbell_open() - make the server and QEMU's end of the socket, before QEMU makes the device
 * @name: of QEMU's character device
 * @memory: a descriptor of the shared memory
 *
 * Return: 0, or -errno.
 */
int doorbell_open(const char *name, int memory);

/* Raises vector @n. */
void doorbell_ring(unsigned int n);

#endif /* CSF_QEMU_DOORBELL_H */
