/* SPDX-License-Identifier: GPL-2.0-only */
/* The subcommands: each is main() of one, and returns the exit status of csflow. */
#ifndef CSF_CMD_H
#define CSF_CMD_H

#include "lib/status.h"

int cmd_agent(int argc, char **argv);
int cmd_annotate(int argc, char **argv);
int cmd_asm(int argc, char **argv);
int cmd_browse(int argc, char **argv);
int cmd_coverage(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_encode(int argc, char **argv);
int cmd_index(int argc, char **argv);
int cmd_match(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_messages(int argc, char **argv);
int cmd_pgo(int argc, char **argv);
int cmd_profile(int argc, char **argv);
int cmd_quick(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_script(int argc, char **argv);
int cmd_shard(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_tarmac(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_vm(int argc, char **argv);

#endif /* CSF_CMD_H */
