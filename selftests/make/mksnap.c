// SPDX-License-Identifier: GPL-2.0-only
/*
 * mksnap RECORDING DIR [MIB]
 *
 * Makes a snapshot in DIR of the first trace buffer of a perf.data, cut at the first MIB: its trace
 * in one file, the code that was mapped in others. It gives recordings of whole programs to benches
 * and other programs that read only snapshots.  For one process whose maps do not change.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../../perf-plugin/perf-cs.h"
#include "../../tools/lib/file.h"
#include "snap-write.h"

struct job {
	struct perf_file *file;
	struct perf_aux *aux;
	struct perf_cs *cs;
	const char *dir;
	unsigned int n_dump;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "mksnap: %s: %s\n", what, why);
	exit(1);
}

/*
 * The code of one map, and where it was; a map without a file, or whose file is gone, is left out.
 */
static void add_map(struct job *job, FILE *core, const struct perf_mmap *m)
{
	char name[32];
	struct file f;
	size_t n;
	FILE *out;

	if (!(m->prot & PROT_EXEC) || file_map(&f, m->name))
		return;
	if (m->pgoff < f.n) {
		n = m->len < f.n - m->pgoff ? m->len : f.n - m->pgoff;
		snprintf(name, sizeof(name), "code%u.bin", job->n_dump++);
		out = snap_make(job->dir, name);
		fwrite(f.data + m->pgoff, 1, n, out);
		snap_close(out);
		snap_code(core, name, m->addr, n);
	}
	file_unmap(&f);
}

static void write_core(struct job *job)
{
	struct perf_records it;
	struct perf_record record;
	struct perf_mmap m;
	FILE *core = snap_core(job->dir);

	perf_records_start(&it, job->file);
	while (perf_records_next(&it, &record))
		if (perf_record_mmap(&record, &m))
			add_map(job, core, &m);
	snap_close(core);
	if (!job->n_dump)
		die("recording", "no code");
}

/* The fragments of a queue, one after the other. */
static void write_trace(const struct job *job, const struct perf_queue *queue, uint64_t max)
{
	FILE *f = snap_make(job->dir, "trace.bin");

	for (size_t i = 0; i < queue->n; i++) {
		const struct perf_fragment *part = &job->aux->fragment[queue->first + i];
		uint64_t n = part->size < max ? part->size : max;

		fwrite(job->file->bytes + part->offset, 1, n, f);
		max -= n;
	}
	snap_close(f);
}

static void convert(struct job *job, uint64_t max)
{
	struct perf_cs_id ids[CSF_ID_MAX] = { { .id = 0 } };
	const struct perf_fragment *first;
	struct csf_config config = { 0 };
	uint32_t cpu;
	bool raw;

	if (!job->aux->n_queue || !job->aux->queue[0].n)
		die("recording", "no trace");
	first = &job->aux->fragment[job->aux->queue[0].first];
	raw = first->flags & PERF_FRAGMENT_RAW;
	cpu = raw ? perf_cs_cpu_of_raw(job->cs, first) :
	      perf_cs_ids(job->cs, first, ids) ? ids[0].cpu : PERF_NO_CPU;
	if (cpu == PERF_NO_CPU || perf_cs_config(job->cs, cpu, &config))
		die("recording", "a trace unit that nobody knows");
	snap_begin(job->dir, &config, raw ? 0x10 : ids[0].id, raw);
	write_core(job);
	write_trace(job, &job->aux->queue[0], max);
}

int main(int argc, char **argv)
{
	struct job job = { 0 };

	if (argc != 3 && argc != 4)
		die("usage", "mksnap RECORDING DIR [MIB]");
	job.dir = argv[2];
	if (perf_file_open(&job.file, argv[1]) || perf_aux_new(&job.aux, job.file) ||
	    perf_cs_open(&job.cs, job.file, NULL))
		die(argv[1], "not a recording of CoreSight trace");
	convert(&job, argc > 3 ? strtoull(argv[3], NULL, 10) << 20 : UINT64_MAX);
	perf_cs_free(job.cs);
	perf_aux_free(job.aux);
	perf_file_close(job.file);
	return 0;
}
