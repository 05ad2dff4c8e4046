// SPDX-License-Identifier: GPL-2.0-only
/* Loads a library while it runs, calls into it, and lets it go: loads LIBRARY. */
#include <cstdio>
#include <dlfcn.h>

int main(int argc, char **argv)
{
	int sum = 0;

	for (int i = 1; i < 4 && argc > 1; i++) {
		void *library = dlopen(argv[1], RTLD_LAZY);
		int (*weigh)(int);

		if (!library) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		weigh = reinterpret_cast<int (*)(int)>(dlsym(library, "weigh"));
		sum += weigh(50 * i);
		dlclose(library);
	}
	printf("%d\n", sum);
	return 0;
}
