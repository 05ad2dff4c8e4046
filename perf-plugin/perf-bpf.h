/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Machine code of BPF programs: perf record keeps the kernel's output for each program that is
 * loaded.
 */
#ifndef PERF_BPF_H
#define PERF_BPF_H

#include "perf-file.h"

/**
 * struct perf_bpf_code - a function of a BPF program
 * @addr: run-time address of its code
 * @bytes: @n of them; borrowed from the file; NULL: another program had the same place
 */
struct perf_bpf_code {
	uint64_t addr;
	const uint8_t *bytes;
	uint32_t n;
};

/* All of a recording: @n, sorted by address. */
struct perf_bpf {
	struct perf_bpf_code *code;
	size_t n;
};

/* Adds problems to @file.  Return: 0, -ENOMEM. */
int perf_bpf_init(struct perf_bpf *bpf, struct perf_file *file);
void perf_bpf_fini(struct perf_bpf *bpf);

/* The code of @n bytes at @addr; NULL: not known. */
const uint8_t *perf_bpf_find(const struct perf_bpf *bpf, uint64_t addr, uint32_t n);

#endif /* PERF_BPF_H */
