/* SPDX-License-Identifier: GPL-2.0-only */
/* Machine code of BPF programs: perf record keeps what the kernel made of each that is loaded. */
#ifndef PERF_BPF_H
#define PERF_BPF_H

#include "perf-file.h"

/**
 * struct perf_bpf_code - a function of a BPF program
 * @addr: of its code at run time
 * @bytes: @n of them; borrowed from the file; NULL: another program had the same place
 */
struct perf_bpf_code {
	uint64_t addr;
	const uint8_t *bytes;
	uint32_t n;
};

/* All of a recording, @n by address. */
struct perf_bpf {
	struct perf_bpf_code *code;
	size_t n;
};

/* @file gets the problems.  Return: 0, -ENOMEM. */
int perf_bpf_init(struct perf_bpf *bpf, struct perf_file *file);
void perf_bpf_fini(struct perf_bpf *bpf);

/* The code of @n bytes at @addr; NULL: not known. */
const uint8_t *perf_bpf_find(const struct perf_bpf *bpf, uint64_t addr, uint32_t n);

#endif /* PERF_BPF_H */
