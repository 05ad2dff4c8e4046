// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inlined functions, templates, virtual functions and exceptions, on seven threads: names_test.sh
 * strips it.
 */
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace shapes {

struct shape {
	virtual ~shape() {}
	virtual double area(int times) const = 0;
};

struct square : shape {
	double side;

	explicit square(double s) : side(s) {}
	double area(int times) const override { return times * side * side; }
};

struct circle : shape {
	double radius;

	explicit circle(double r) : radius(r) {}
	double area(int times) const override
	{
		if (radius > 95)
			throw std::runtime_error("too large");
		return times * 3.14 * radius * radius;
	}
};

template <typename T> struct store {
	std::vector<T> held;

	void add(T t) { held.push_back(std::move(t)); }
	template <typename F> __attribute__((noinline)) double each(F f)
	{
		double sum = 0;

		for (auto &x : held)
			sum += f(*x);
		return sum;
	}
};

}

static inline double twice(double x) { return x + x; }

static double attempt(const shapes::shape &s)
{
	try {
		return twice(s.area(2));
	} catch (const std::exception &e) {
		return e.what()[0];
	}
}

static void work(double *sum)
{
	shapes::store<std::unique_ptr<shapes::shape>> s;
	std::map<std::string, int> count;

	for (int i = 0; i < 98; i++) {
		s.add(std::make_unique<shapes::square>(i));
		s.add(std::make_unique<shapes::circle>(i));
		count[std::to_string(i % 7)]++;
	}
	*sum = s.each([](const shapes::shape &x) { return attempt(x); }) + count.size();
}

int main()
{
	std::vector<std::thread> threads;
	double sum[7];

	for (double &one : sum)
		threads.emplace_back(work, &one);
	for (std::thread &thread : threads)
		thread.join();
	return sum[0] != sum[6];
}
