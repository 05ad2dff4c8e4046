// SPDX-License-Identifier: GPL-2.0-only
/* main() of a fuzzer built without libFuzzer: gives it the files and folders named, once each. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *data;
	size_t n;

	if (!f)
		return -1;
	if (fstat(fileno(f), &st) || !S_ISREG(st.st_mode)) {
		fclose(f);
		return -1;
	}
	data = malloc(st.st_size + 1);
	n = data ? fread(data, 1, st.st_size, f) : 0;
	fclose(f);
	if (data)
		LLVMFuzzerTestOneInput(data, n);
	free(data);
	return 1;
}

/* Return: number of files given to the fuzzer, or -1 */
static int replay_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char file[4096];
	int n = 0;

	if (!dir)
		return replay_file(path);
	while ((entry = readdir(dir))) {
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.' && replay_file(file) > 0)
			n++;
	}
	closedir(dir);
	return n;
}

int main(int argc, char **argv)
{
	int files = 0;

	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		int n = replay_folder(argv[i]);

		if (n < 0) {
			fprintf(stderr, "cannot read %s\n", argv[i]);
			return 1;
		}
		files += n;
	}
	printf("%d files\n", files);
	return 0;
}
