// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The program of Documentation/user/tutorial.rst: what a shop has in stock.  It reads lines:
 * "+pear", one has come; "-pear", one was sold; "?pear", how many are there?  It has a bug.
 */
#include <stdio.h>
#include <string.h>

#define SLOTS	64

static struct item {
	char name[16];
	int n;
} items[SLOTS];

static unsigned int hash(const char *name)
{
	unsigned int sum = 0;

	while (*name)
		sum += *name++;
	return sum % SLOTS;
}

/* The item of a name, or the slot where it may go. */
static struct item *find(const char *name)
{
	unsigned int at = hash(name);

	while (items[at].n && strcmp(items[at].name, name))
		at = (at + 1) % SLOTS;
	return &items[at];
}

static void come(const char *name)
{
	struct item *item = find(name);

	strcpy(item->name, name);
	item->n++;
}

static void sell(const char *name)
{
	struct item *item = find(name);

	if (!item->n)
		printf("%s: sold out\n", name);
	else
		item->n--;
}

static void ask(const char *name)
{
	printf("%s: %d\n", name, find(name)->n);
}

int main(void)
{
	char line[16];

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		switch (line[0]) {
		case '+':
			come(line + 1);
			break;
		case '-':
			sell(line + 1);
			break;
		case '?':
			ask(line + 1);
			break;
		}
	}
	return 0;
}
