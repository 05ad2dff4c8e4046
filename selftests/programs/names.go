// SPDX-License-Identifier: GPL-2.0-only
// Methods, closures, maps, goroutines and a garbage collection: names_test.sh strips it.
package main

import (
	"fmt"
	"runtime"
	"sort"
	"strings"
)

type shape interface{ area() float64 }
type square struct{ side float64 }
type circle struct{ radius float64 }

func (s square) area() float64  { return s.side * s.side }
func (c *circle) area() float64 { return 3.14 * c.radius * c.radius }

//go:noinline
func sum(shapes []shape) (total float64) {
	for _, s := range shapes {
		total += s.area()
	}
	return total
}

func main() {
	var shapes []shape
	words := map[string]int{}
	for i := 0; i < 300; i++ {
		shapes = append(shapes, square{float64(i)}, &circle{float64(i)})
		words[fmt.Sprint(i%17)]++
	}
	runtime.GC()
	keys := []string{}
	for k := range words {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	results := make(chan float64)
	for i := 0; i < 4; i++ {
		go func() { results <- sum(shapes) }()
	}
	total := 0.0
	for i := 0; i < 4; i++ {
		total += <-results
	}
	fmt.Println(total, strings.Join(keys, ","))
}
