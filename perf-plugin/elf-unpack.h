/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that are kept packed, as distributions do with kernel modules: .xz, .zst, .gz. */
#ifndef ELF_UNPACK_H
#define ELF_UNPACK_H

#include <stddef.h>
#include <stdint.h>

/**
 * elf_unpack() - what is in a packed file
 * @out: set to memory from mmap(), the caller's; NULL: the file is not packed
 *
 * Return: 0; -EINVAL: it is damaged, or what is in it is larger than any module; -ENOMEM.
 */
int elf_unpack(const uint8_t *bytes, size_t n, uint8_t **out, size_t *size);

#endif /* ELF_UNPACK_H */
