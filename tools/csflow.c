// SPDX-License-Identifier: GPL-2.0-only
/* csflow: finds the subcommand and runs it. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../decoder/csflow.h"
#include "../perf-plugin/new-file.h"
#include "../perf-plugin/plugin.h"
#include "cmd.h"
#include "encode/encode-recording.h"
#include "lib/log.h"
#include "lib/memory.h"
#include "lib/near.h"
#include "lib/options-help.h"
#include "lib/output.h"
#include "lib/terminal.h"
#include "lib/without.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct cmd {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *help;
};

static const struct cmd commands[] = {
	{ "agent",	cmd_agent,	"record now and then on a machine, and keep counts only" },
	{ "annotate",	cmd_annotate,	"show a function's disassembly and source, with counts" },
	{ "asm",	cmd_asm,	"assemble trace from the words of dump" },
	{ "browse",	cmd_browse,	"walk through a recording, forward and back" },
	{ "coverage",	cmd_coverage,	"list lines, functions and branches that ran, for lcov" },
	{ "diff",	cmd_diff,	"show where two runs part, and what ran more often" },
	{ "doctor",	cmd_doctor,	"explain a recording, and what is missing, on one page" },
	{ "dump",	cmd_dump,	"list packets and elements of a trace" },
	{ "encode",	cmd_encode,	"make trace from a log of what was executed" },
	{ "index",	cmd_index,	"make, check and read an index of a trace" },
	{ "match",	cmd_match,	"compare two traces of the same execution" },
	{ "merge",	cmd_merge,	"add up the counts of any number of recordings" },
	{ "messages",	cmd_messages,	"list what software wrote into the trace: ITM, DWT, STM" },
	{ "pgo",	cmd_pgo,	"record a program and make its profile" },
	{ "profile",	cmd_profile,	"count what was executed, for compilers and linkers" },
	{ "quick",	cmd_quick,	"show hot addresses, without programs" },
	{ "record",	cmd_record,	"run an AArch64 or Arm program on a virtual trace unit" },
	{ "report",	cmd_report,	"show hot functions, blocks, edges and loops" },
	{ "script",	cmd_script,	"list branches and instructions, as perf script does" },
	{ "shard",	cmd_shard,	"decode many recordings in parts, on many machines" },
	{ "snapshot",	cmd_snapshot,	"write an Arm snapshot, of a recording or of its parts" },
	{ "tarmac",	cmd_tarmac,	"write what was executed as a Tarmac log" },
	{ "timeline",	cmd_timeline,	"draw call stacks over time, for Perfetto and Chrome" },
	{ "vm",		cmd_vm,		"run a command in a machine that has trace units" },
};

/* Commands that print text to read; report does so if it has no screen. */
static const char *const paged[] = {
	"annotate", "diff", "doctor", "dump", "index", "match", "messages", "quick", "script",
	"tarmac",
};

static const struct cmd *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static void usage(FILE *f)
{
	fprintf(f, "usage: csflow [--help] [--log-level=LEVEL] [--no-pager] [--color] COMMAND [ARGS]\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(f, "  %-12s %s\n", commands[i].name, commands[i].help);
	fprintf(f, "\n'csflow help COMMAND' describes a command, 'csflow help errors' all messages.\n");
}

/* For shells; perf has an option of this name, too. */
static void list_commands(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("%s\t%s\n", commands[i].name, commands[i].help);
	printf("help\tdescribe a command\n");
}

static int unknown(const char *name)
{
	const bool option = *name == '-';
	char typed[32];
	struct near near = { .typed = typed };

	snprintf(typed, sizeof(typed), "%.*s", (int)strcspn(name, "="), name);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		near_try(&near, commands[i].name);
	near_try(&near, "help");
	near_try(&near, "--help");
	near_try(&near, "--version");
	near_try(&near, "--log-level");
	near_try(&near, "--log-file");
	near_try(&near, "--log-format");
	near_try(&near, "--color");
	near_try(&near, "--no-pager");
	log_say(LOG_USAGE, option ? "csflow: there is no option %s" : "csflow: there is no command '%s'",
		name);
	if (near.name)
		log_say(LOG_USAGE, "; did you mean '%s'?\n", near.name);
	else
		log_say(LOG_USAGE, "%s\n", option ? " before the command" : "");
	log_say(LOG_NOTE, "'csflow help' lists the commands\n");
	return CMD_USAGE;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	for (size_t i = 0; i < ARRAY_SIZE(paged); i++)
		if (!strcmp(paged[i], cmd->name))
			terminal_pages();
	return cmd->main(argc, argv);
}

static int help(int argc, char **argv)
{
	char option[] = "--help";
	const struct cmd *cmd;
	char *args[3] = { NULL, option, NULL };

	if (argc < 2) {
		usage(stdout);
		return CMD_OK;
	}
	if (!strcmp(argv[1], "errors")) {
		terminal_begin();
		terminal_page();
		log_print_codes(stdout);
		return CMD_OK;
	}
	cmd = find(argv[1]);
	if (!cmd)
		return unknown(argv[1]);
	args[0] = argv[1];
	return run(cmd, 2, args);
}

/* A command that failed has reported why.  Poor counts are useless if they did not arrive. */
static int finish(int status)
{
	char text[256];

	if (memory_exceeded() && status == CMD_OK)
		status = memory_status();
	if (status != CMD_OK && plugin_no_memory(text, sizeof(text)))
		log_say(LOG_MEMORY, "csflow: %s\n", text);
	if ((status == CMD_OK || status == CMD_POOR) && !output_arrived())
		status = CMD_FAILED;
	return log_end() || status != CMD_OK ? status : CMD_FAILED;
}

/* Return: false: reported. */
static bool take_terminal_option(const char *name, size_t n)
{
	const char *why = terminal_option(name, n, name[n] ? name + n + 1 : NULL);

	if (why)
		log_say(LOG_USAGE, "csflow: --%s: %s\n", name, why);
	return !why;
}

/* --log-level=LEVEL and so on, before the command.  Return: false: reported. */
static bool take_options(int *argc, char ***argv)
{
	while (*argc > 1 && !strncmp((*argv)[1], "--", 2)) {
		const char *name = (*argv)[1] + 2;
		const size_t n = strcspn(name, "=");
		const char *value = name[n] ? name + n + 1 : NULL;
		const int words = value || *argc < 3 ? 1 : 2;
		char option[16];
		const char *why;

		if (terminal_is_option(name, n)) {
			if (!take_terminal_option(name, n))
				return false;
			--*argc;
			++*argv;
			continue;
		}
		if (!log_is_option(name, n))
			return true;
		snprintf(option, sizeof(option), "%.*s", (int)n, name);
		if (words == 2)
			value = (*argv)[2];
		why = log_option(option, value);
		if (why) {
			log_say(LOG_USAGE, "csflow: --%s%s%s: %s\n", option, value ? "=" : "",
				value ? value : "", why);
			return false;
		}
		*argc -= words;
		*argv += words;
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct cmd *cmd;

	/* A file that may not grow any more is treated like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	new_file_guard();
	recording_take_logs(&encode_recording);
	if (!log_read_environment() || !without_read())
		return CMD_USAGE;
	if (!take_options(&argc, &argv))
		return CMD_USAGE;
	if (argc < 2) {
		usage(log_to(LOG_USAGE));
		return CMD_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
		printf("csflow %s\n", csf_version());
		return finish(CMD_OK);
	}
	if (!strcmp(argv[1], "--list-cmds")) {
		list_commands();
		return finish(CMD_OK);
	}
	if (!strcmp(argv[1], "--list-opts")) {
		options_print_common_list();
		return finish(CMD_OK);
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return finish(help(argc - 1, argv + 1));
	cmd = find(argv[1]);
	if (!cmd)
		return unknown(argv[1]);
	return finish(run(cmd, argc - 1, argv + 1));
}
