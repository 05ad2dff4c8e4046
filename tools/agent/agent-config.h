/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration of csflow agent: Documentation/format/agent-config.rst describes the file. */
#ifndef CSF_AGENT_CONFIG_H
#define CSF_AGENT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/ini.h"
#include "../lib/options.h"

enum agent_source { AGENT_LIVE, AGENT_REPLAY };
enum agent_counts { AGENT_FULL, AGENT_QUICK };
enum agent_keep { AGENT_NEVER, AGENT_ON_DEMAND };

/**
 * struct agent_config - zero is an empty one
 * @source: trace of this machine, or recordings that are played back
 * @replay: a recording, or a folder of them; NULL unless @source is AGENT_REPLAY
 * @rate: bytes of recordings a second that are played back; 0: as fast as possible
 * @cpus: a list such as 0,4-7; NULL: all that are online
 * @cgroup: only this one: a folder below /sys/fs/cgroup, or its whole path; NULL: everything
 * @period, @duration: of a round and of its recording, in ms
 * @buffer: bytes of the AUX ring of each CPU, a power of two
 * @counts: enum agent_counts
 * @names: files keep their names in the counts
 * @not_comm, @not_unit, @not_cgroup, @not_user: processes that are left out
 * @folder: the spool, and @size the most bytes in it
 * @cpu: thousandths of one CPU that may be used
 * @memory: bytes
 * @keep: enum agent_keep: of the trace
 */
struct agent_config {
	int source;
	const char *replay;
	uint64_t rate;
	const char *cpus, *cgroup;
	uint64_t period, duration;
	uint64_t buffer;
	int counts;
	bool names;
	struct opt_list not_comm, not_unit, not_cgroup, not_user;
	const char *folder;
	uint64_t size;
	uint64_t cpu;
	uint64_t memory;
	int keep;
	/* private: owns all texts */
	struct ini ini;
};

/*
 * Reads @path, and reports each problem with its line.  @config: need not be set up before.
 * Return: it is valid; free it in any case.
 */
bool agent_config_read(struct agent_config *config, const char *path);
void agent_config_free(struct agent_config *config);

/* Are there processes to leave out that are found by more than their name? */
static inline bool agent_config_excludes(const struct agent_config *config)
{
	return config->not_comm.n || config->not_unit.n || config->not_cgroup.n ||
	       config->not_user.n;
}

#endif /* CSF_AGENT_CONFIG_H */
