// SPDX-License-Identifier: GPL-2.0-only
/*
 * C++: virtual calls, templates, exceptions that are caught.  As a library it has one function,
 * weigh(), for those who load it.
 */
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct shape {
	virtual ~shape() = default;
	virtual int area() const = 0;
};

struct square : shape {
	explicit square(int a) : side(a) { }
	int area() const override { return side * side; }
	int side;
};

struct strip : shape {
	strip(int a, int b) : length(a), width(b) { }
	int area() const override
	{
		if (width > length)
			throw std::out_of_range("a strip is longer than wide");
		return length * width;
	}
	int length, width;
};

static std::unique_ptr<shape> make(int i)
{
	if (i % 3)
		return std::make_unique<strip>(i % 11, i % 5);
	return std::make_unique<square>(i % 7);
}

template <typename compare> static int middle(std::vector<int> v, compare less)
{
	std::sort(v.begin(), v.end(), less);
	return v[v.size() / 2];
}

extern "C" int weigh(int n)
{
	std::map<std::string, int> seen;
	std::vector<int> areas;
	int odd = 0;

	for (int i = 0; i < n; i++) {
		try {
			areas.push_back(make(i)->area());
		} catch (const std::exception &e) {
			seen[e.what() + std::to_string(i % 4)] += i;
			odd++;
		}
	}
	for (const auto &pair : seen)
		odd += pair.second;
	return odd + middle(areas, [](int a, int b) { return a < b; }) +
	       middle(areas, [](int a, int b) { return a % 8 < b % 8; });
}

#ifndef LIBRARY
int main()
{
	printf("%d\n", weigh(400));
	return 0;
}
#endif
