// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files from debuginfod servers, by build-id.  The library is loaded when it is first needed, as it
 * brings a whole HTTP client, which few users need.
 *
 * Debug files are not handled here: libdw fetches them by itself.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dso-look.h"

/* Source: debuginfod_find_executable(3) */
struct debuginfod {
	void *(*begin)(void);
	int (*find)(void *client, const unsigned char *build_id, int n, char **path);
	void (*end)(void *client);
};

static bool load(struct debuginfod *d)
{
	void *lib = dlopen("libdebuginfod.so.1", RTLD_NOW);

	if (!lib)
		return false;
	/* as in POSIX, since there is no conversion from data pointers to function pointers */
	*(void **)&d->begin = dlsym(lib, "debuginfod_begin");
	*(void **)&d->find = dlsym(lib, "debuginfod_find_executable");
	*(void **)&d->end = dlsym(lib, "debuginfod_end");
	return d->begin && d->find && d->end;
}

bool dso_try_debuginfod(struct dso *dso)
{
	uint8_t id[ELF_BUILD_ID_MAX] = { 0 };
	struct debuginfod d;
	char *path = NULL;
	bool found = false;
	void *client;
	int fd;

	if (!dso->n_build_id || !load(&d))
		return false;
	client = d.begin();
	if (!client)
		return false;
	memcpy(id, dso->build_id, dso->n_build_id);
	fd = d.find(client, id, dso->n_build_id, &path);
	/* zero bytes at its end may have been left out */
	if (fd < 0 && dso->n_build_id < ELF_BUILD_ID_MAX)
		fd = d.find(client, id, ELF_BUILD_ID_MAX, &path);
	if (fd >= 0) {
		close(fd);
		found = dso_try(dso, path, false);
	}
	free(path);
	d.end(client);
	return found;
}
