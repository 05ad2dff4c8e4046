// SPDX-License-Identifier: GPL-2.0-only
#include "snap-write.h"

#include <errno.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void die(const char *path)
{
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	exit(1);
}

FILE *snap_make(const char *dir, const char *name)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f)
		die(path);
	return f;
}

void snap_close(FILE *f)
{
	const bool bad = ferror(f);

	if (fclose(f) || bad)
		die("snapshot");
}

static void write_older(FILE *f, const struct csf_config *c, uint8_t id)
{
	fprintf(f, "ETMCR=0x%x\nETMCCER=0x%x\nETMIDR=0x%x\nETMTRACEIDR=0x%x\n", c->etmcr,
		c->etmccer, c->etmidr, id);
}

static void write_source(const char *dir, const struct csf_config *c, uint8_t id)
{
	static const char *const type[] = {
		[CSF_PROTOCOL_ETM4] = "ETM4", [CSF_PROTOCOL_ETE] = "ETE",
		[CSF_PROTOCOL_ETM3] = "ETM3.5", [CSF_PROTOCOL_PTM] = "PFT1.1",
	};
	const int protocol = csf_config_protocol(c);
	FILE *f = snap_make(dir, "source.ini");

	fprintf(f, "[device]\nname=source\nclass=trace_source\ntype=%s\n\n[regs]\n",
		type[protocol]);
	if (protocol == CSF_PROTOCOL_ETM3 || protocol == CSF_PROTOCOL_PTM) {
		write_older(f, c, id);
		snap_close(f);
		return;
	}
	fprintf(f, "TRCIDR0=0x%x\nTRCIDR1=0x%x\nTRCIDR2=0x%x\nTRCIDR8=0x%x\n", c->trcidr0,
		c->trcidr1, c->trcidr2, c->trcidr8);
	fprintf(f, "TRCCONFIGR=0x%x\nTRCTRACEIDR=0x%x\n", c->trcconfigr, id);
	if (protocol == CSF_PROTOCOL_ETE)
		fprintf(f, "TRCDEVARCH=0x%x\n", c->trcdevarch);
	snap_close(f);
}

void snap_begin(const char *dir, const struct csf_config *config, uint8_t id, bool raw)
{
	FILE *f;

	if (mkdir(dir, 0777) && errno != EEXIST)
		die(dir);
	write_source(dir, config, id);
	f = snap_make(dir, "snapshot.ini");
	fprintf(f, "[snapshot]\nversion=1.0\n\n[device_list]\ndevice0=core.ini\n"
		"device1=source.ini\n\n[trace]\nmetadata=trace.ini\n");
	snap_close(f);
	f = snap_make(dir, "trace.ini");
	fprintf(f, "[trace_buffers]\nbuffers=buffer0\n\n[buffer0]\nname=ETR\nfile=trace.bin\n"
		"format=%s\n\n[source_buffers]\nsource=ETR\n\n[core_trace_sources]\ncore=source\n",
		raw ? "source_data" : "coresight");
	snap_close(f);
}

FILE *snap_core(const char *dir)
{
	FILE *core = snap_make(dir, "core.ini");

	fprintf(core, "[device]\nname=core\nclass=core\ntype=ARMv8-A\n\n");
	return core;
}

void snap_code(FILE *core, const char *file, uint64_t addr, uint64_t n)
{
	/* Its offset is a name that no other file has. */
	fprintf(core, "[dump%ld]\nfile=%s\naddress=0x%llx\nlength=0x%llx\nspace=ANY\n\n",
		ftell(core), file, (unsigned long long)addr, (unsigned long long)n);
}
