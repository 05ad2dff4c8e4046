// SPDX-License-Identifier: GPL-2.0-only
/*
 * mksnap RECORDING DIR [MIB]
 *
 * Makes a snapshot in DIR of the first trace buffer of a perf.data, cut at the first MIB: its trace
 * in one file, what was mapped as code in others.  So that benches, and others who read snapshots
 * only, have recordings of whole programs.  For one process whose maps stay as they are.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../perf-plugin/perf-cs.h"
#include "../tools/file.h"

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

static FILE *make(const struct job *job, const char *name)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", job->dir, name);
	f = fopen(path, "wb");
	if (!f)
		die(path, strerror(errno));
	return f;
}

static void done(FILE *f)
{
	if (ferror(f) || fclose(f))
		die("snapshot", "cannot be written");
}

/* The code of one map, and where it was; what is no file, or not there any more, is left out. */
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
		out = make(job, name);
		fwrite(f.data + m->pgoff, 1, n, out);
		done(out);
		fprintf(core, "[dump%u]\nfile=%s\naddress=0x%llx\nlength=0x%zx\nspace=ANY\n\n",
			job->n_dump, name, (unsigned long long)m->addr, n);
	}
	file_unmap(&f);
}

static void write_core(struct job *job)
{
	struct perf_records it;
	struct perf_record record;
	struct perf_mmap m;
	FILE *core = make(job, "core.ini");

	fprintf(core, "[device]\nname=core\nclass=core\ntype=ARMv8-A\n\n");
	perf_records_start(&it, job->file);
	while (perf_records_next(&it, &record))
		if (perf_record_mmap(&record, &m))
			add_map(job, core, &m);
	done(core);
	if (!job->n_dump)
		die("recording", "no code");
}

static void write_source(const struct job *job, const struct csf_config *c, uint8_t id)
{
	const bool ete = csf_config_version(c) >= 0x50;
	FILE *f = make(job, "source.ini");

	fprintf(f, "[device]\nname=source\nclass=trace_source\ntype=%s\n\n[regs]\n",
		ete ? "ETE" : "ETM4");
	fprintf(f, "TRCIDR0=0x%x\nTRCIDR1=0x%x\nTRCIDR2=0x%x\nTRCIDR8=0x%x\n", c->trcidr0,
		c->trcidr1, c->trcidr2, c->trcidr8);
	fprintf(f, "TRCCONFIGR=0x%x\nTRCTRACEIDR=0x%x\n", c->trcconfigr, id);
	if (ete)
		fprintf(f, "TRCDEVARCH=0x%x\n", c->trcdevarch);
	done(f);
}

static void write_ini(const struct job *job, bool raw)
{
	FILE *f = make(job, "snapshot.ini");

	fprintf(f, "[snapshot]\nversion=1.0\ndescription=made of a recording\n\n[device_list]\n"
		"device0=core.ini\ndevice1=source.ini\n\n[trace]\nmetadata=trace.ini\n");
	done(f);
	f = make(job, "trace.ini");
	fprintf(f, "[trace_buffers]\nbuffers=buffer0\n\n[buffer0]\nname=ETR\nfile=trace.bin\n"
		"format=%s\n\n[source_buffers]\nsource=ETR\n\n[core_trace_sources]\ncore=source\n",
		raw ? "source_data" : "coresight");
	done(f);
}

/* The fragments of a queue, one behind the other. */
static void write_trace(const struct job *job, const struct perf_queue *queue, uint64_t max)
{
	FILE *f = make(job, "trace.bin");

	for (size_t i = 0; i < queue->n; i++) {
		const struct perf_fragment *part = &job->aux->fragment[queue->first + i];
		uint64_t n = part->size < max ? part->size : max;

		fwrite(job->file->bytes + part->offset, 1, n, f);
		max -= n;
	}
	done(f);
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
	write_core(job);
	write_source(job, &config, raw ? 0x10 : ids[0].id);
	write_trace(job, &job->aux->queue[0], max);
	write_ini(job, raw);
}

int main(int argc, char **argv)
{
	struct job job = { 0 };

	if (argc != 3 && argc != 4)
		die("usage", "mksnap RECORDING DIR [MIB]");
	job.dir = argv[2];
	if (mkdir(job.dir, 0777) && errno != EEXIST)
		die(job.dir, strerror(errno));
	if (perf_file_open(&job.file, argv[1]) || perf_aux_new(&job.aux, job.file) ||
	    perf_cs_open(&job.cs, job.file))
		die(argv[1], "not a recording of CoreSight trace");
	convert(&job, argc > 3 ? strtoull(argv[3], NULL, 10) << 20 : UINT64_MAX);
	perf_cs_free(job.cs);
	perf_aux_free(job.aux);
	perf_file_close(job.file);
	return 0;
}
