// SPDX-License-Identifier: GPL-2.0-only
/* csflow agent: a daemon that records now and then, and keeps counts only. */
#include <stdio.h>

#include "agent/agent-config.h"
#include "agent/agent.h"
#include "cmd.h"
#include "lib/options.h"

static const char usage[] = "agent [OPTIONS] CONFIG";

static int check(const char *path)
{
	struct agent_config config;
	const bool valid = agent_config_read(&config, path);

	agent_config_free(&config);
	if (valid)
		printf("%s: valid\n", path);
	return valid ? CMD_OK : CMD_FAILED;
}

int cmd_agent(int argc, char **argv)
{
	bool only_check = false, once = false, foreground = false;
	const struct opt table[] = {
		OPT_FLAG(0, "check", &only_check, "only check the configuration"),
		OPT_FLAG(0, "once", &once, "record one round, and exit"),
		OPT_FLAG(0, "foreground", &foreground,
			 "stay in the foreground: the agent always does"),
		OPT_END
	};
	int n = options_parse(argc, argv, table, usage);

	if (n != 1)
		return options_wrong("agent", usage, "give one configuration file");
	return only_check ? check(argv[1]) : agent_run(argv[1], once);
}
