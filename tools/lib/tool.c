// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log.h"
#include "tool.h"

/* The newest version that is looked for by its number. */
#define LLVM_NEWEST	40

bool tool_find(const char *name, char *path, size_t n)
{
	const char *dirs = getenv("PATH");

	for (dirs = dirs ? dirs : "/usr/bin:/bin"; *dirs; dirs += strspn(dirs, ":")) {
		size_t len = strcspn(dirs, ":");

		if (snprintf(path, n, "%.*s/%s", (int)len, dirs, name) < (int)n &&
		    !access(path, X_OK))
			return true;
		dirs += len;
	}
	return false;
}

bool tool_beside(const char *name, char *path, size_t n)
{
	char own[PATH_MAX];
	const ssize_t have = readlink("/proc/self/exe", own, sizeof(own) - 1);
	char *slash;

	if (have <= 0)
		return false;
	own[have] = '\0';
	slash = strrchr(own, '/');
	if (!slash)
		return false;
	*slash = '\0';
	if (snprintf(path, n, "%s/%s", own, name) < (int)n && !access(path, R_OK))
		return true;
	return snprintf(path, n, "%s/../lib/csflow/%s", own, name) < (int)n &&
	       !access(path, R_OK);
}

static bool find_version(const char *name, int version, char *path, size_t n)
{
	char numbered[NAME_MAX];

	snprintf(numbered, sizeof(numbered), "%s-%d", name, version);
	return tool_find(numbered, path, n);
}

bool tool_find_llvm(const char *name, int version, int min, char *path, size_t n)
{
	if (version >= min && find_version(name, version, path, n))
		return true;
	for (int v = LLVM_NEWEST; v >= min; v--)
		if (find_version(name, v, path, n))
			return true;
	return tool_find(name, path, n);
}

int tool_run(const char *const *argv, FILE **said)
{
	FILE *f = said ? tmpfile() : NULL;
	int status;
	pid_t pid;

	if (said)
		*said = f;
	if (said && !f)
		return -errno;
	fflush(NULL);
	pid = fork();
	if (!pid) {
		if (f && (dup2(fileno(f), STDOUT_FILENO) < 0 || dup2(fileno(f), STDERR_FILENO) < 0))
			_exit(127);
		signal(SIGXFSZ, SIG_DFL);
		/* If csflow ends meanwhile, its child ends, too. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		execv(argv[0], (char *const *)argv);
		log_say(LOG_PROGRAM, "csflow: %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	if (pid < 0)
		return -errno;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (f)
		rewind(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool is_plain(const char *word)
{
	for (const char *c = word; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-+=./,:@%", *c))
			return false;
	return *word;
}

void tool_print_word(FILE *f, const char *word)
{
	if (is_plain(word)) {
		fputs(word, f);
		return;
	}
	fputc('\'', f);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\"'\"'", f);
		else
			fputc(*word, f);
	}
	fputc('\'', f);
}
