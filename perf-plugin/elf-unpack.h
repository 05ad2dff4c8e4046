/* SPDX-License-Identifier: GPL-2.0-only */
/* Compressed files, such as the kernel modules of some distributions: .xz, .zst, .gz. */
#ifndef ELF_UNPACK_H
#define ELF_UNPACK_H

#include <stddef.h>
#include <stdint.h>

/**
 * elf_unpack() - unpack a compressed file
 * @out: set to memory from mmap(), which the caller owns; NULL: the file is not compressed
 *
 * Return: 0; -EINVAL: it is damaged, or its contents are larger than any module; -ENOMEM.
 */
int elf_unpack(const uint8_t *bytes, size_t n, uint8_t **out, size_t *size);

#endif /* ELF_UNPACK_H */
