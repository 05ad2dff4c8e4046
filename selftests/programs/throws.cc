// SPDX-License-Identifier: GPL-2.0-only
/* Exceptions of C++ through calls of one function by itself, each of which has something to clean up. */
#define noinline __attribute__((noinline))

static volatile int sink;

static noinline void cleaned(int n)
{
	sink += n;
}

static noinline void caught()
{
	sink++;
}

struct guard {
	int n;
	~guard() { cleaned(n); }
};

static noinline int again(int n)
{
	guard g = { n };

	if (!n)
		throw n;
	return again(n - 1) + 1;
}

static noinline int tries(int n)
{
	try {
		return again(n);
	} catch (int) {
		caught();
	}
	return 0;
}

int main()
{
	tries(3);
	tries(1);
	return 0;
}
