// SPDX-License-Identifier: GPL-2.0-only
//! Traits, generics, closures and a panic that is caught: names_test.sh strips it.
use std::collections::BTreeMap;

trait Shape {
    fn area(&self) -> f64;
}

struct Square(f64);
struct Circle<T>(T);

impl Shape for Square {
    #[inline(never)]
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

impl<T: Into<f64> + Copy> Shape for Circle<T> {
    #[inline(never)]
    fn area(&self) -> f64 {
        let r: f64 = self.0.into();
        3.14 * r * r
    }
}

#[inline(never)]
fn sum<F: Fn(f64) -> f64>(shapes: &[Box<dyn Shape>], f: F) -> f64 {
    shapes.iter().map(|s| f(s.area())).sum()
}

fn main() {
    let mut shapes: Vec<Box<dyn Shape>> = Vec::new();
    let mut words: BTreeMap<String, u32> = BTreeMap::new();
    for i in 0..200u32 {
        shapes.push(Box::new(Square(i as f64)));
        shapes.push(Box::new(Circle(i)));
        *words.entry(format!("{}", i % 17)).or_insert(0) += 1;
    }
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| {
        let none: Option<u32> = None;
        none.unwrap()
    });
    println!("{} {} {}", sum(&shapes, |x| x + x), words.len(), caught.is_err());
}
