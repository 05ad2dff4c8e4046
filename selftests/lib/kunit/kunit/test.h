/* SPDX-License-Identifier: GPL-2.0-only */
/* KUnit in user space: the little that the cases of kernel-glue/ use. */
#ifndef CSF_KUNIT_TEST_H
#define CSF_KUNIT_TEST_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>

/**
 * struct kunit - a case that is run
 * @failed: an expectation was not met
 * @end: where it goes on after an assertion was not met
 */
struct kunit {
	bool failed;
	jmp_buf end;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	struct kunit_case *test_cases;
};

#define KUNIT_CASE(function)	{ .run_case = function, .name = #function }

/* Returns what was expected, and prints where it is not so. */
static inline bool kunit_is(struct kunit *test, bool ok, const char *what, int line)
{
	if (!ok)
		printf("# line %d: not so: %s\n", line, what);
	test->failed |= !ok;
	return ok;
}

#define KUNIT_EXPECT_TRUE(test, a)	((void)kunit_is(test, a, #a, __LINE__))
#define KUNIT_EXPECT_FALSE(test, a)	((void)kunit_is(test, !(a), "!" #a, __LINE__))
#define KUNIT_EXPECT_EQ(test, a, b)	((void)kunit_is(test, (a) == (b), #a " == " #b, __LINE__))
#define KUNIT_EXPECT_LE(test, a, b)	((void)kunit_is(test, (a) <= (b), #a " <= " #b, __LINE__))
#define KUNIT_EXPECT_NULL(test, a)	((void)kunit_is(test, !(a), #a " is NULL", __LINE__))
#define KUNIT_ASSERT_NOT_NULL(test, a)	kunit_needs(test, a, #a " is not NULL", __LINE__)

static inline void kunit_needs(struct kunit *test, bool ok, const char *what, int line)
{
	if (!kunit_is(test, ok, what, line))
		longjmp(test->end, 1);
}

static inline void kunit_run_case(struct kunit *test, const struct kunit_case *c)
{
	if (!setjmp(test->end))
		c->run_case(test);
}

/* Runs the cases, and prints TAP.  Returns 1 if one failed. */
static inline int kunit_run(const struct kunit_suite *suite)
{
	int n = 0, failed = 0;

	printf("TAP version 13\n# suite %s\n", suite->name);
	for (const struct kunit_case *c = suite->test_cases; c->run_case; c++) {
		struct kunit test = { 0 };

		kunit_run_case(&test, c);
		printf("%sok %d %s\n", test.failed ? "not " : "", ++n, c->name);
		failed += test.failed;
	}
	printf("1..%d\n", n);
	return failed != 0;
}

/* The suite of the file. */
#define kunit_test_suite(suite)	static const struct kunit_suite *const kunit_suite = &(suite)

#endif /* CSF_KUNIT_TEST_H */
