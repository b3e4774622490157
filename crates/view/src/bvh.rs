//! A hierarchy of boxes over surface elements, or over whole bodies, for rays.
//!
//! Binary, built top down by the surface-area heuristic over 16 bins; leaves hold up to four elements. Building is
//! serial and depends on nothing but the elements, so the same scene gives the same tree.

use granule_model::{Aabb, DVec3};

use crate::intersect::{Ray, Target};

const BINS: usize = 16;
const LEAF: usize = 4;
/// Below this depth a node is split in halves by count, which adds at most 32 levels: [`STACK`] always suffices.
const HEURISTIC_DEPTH: usize = 30;
const STACK: usize = 64;

/// The nearest element on a ray.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) distance: f64,
    /// Place of the element in the list that the hierarchy was built from.
    pub(crate) element: u32,
    /// Place of the element in the hierarchy, for [`Bvh::get`].
    pub(crate) place: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// First child (the second follows), or first element of a leaf.
    first: u32,
    /// Number of elements of a leaf; 0 for an inner node.
    count: u32,
}

/// Elements ordered for traversal.
#[derive(Debug)]
pub(crate) struct Bvh<T> {
    nodes: Vec<Node>,
    elements: Vec<T>,
    /// Place in the caller's list, by place in `elements`.
    names: Vec<u32>,
}

struct Item {
    bounds: Aabb,
    center: DVec3,
    name: u32,
}

impl<T: Target> Bvh<T> {
    pub(crate) fn new(elements: &[T]) -> Self {
        let mut items: Vec<Item> = elements
            .iter()
            .enumerate()
            .map(|(name, element)| {
                let bounds = element.bounds();
                Item { bounds, center: bounds.center(), name: name as u32 }
            })
            .filter(|item| item.bounds.is_finite())
            .collect();
        let mut bvh = Bvh { nodes: Vec::new(), elements: Vec::new(), names: Vec::new() };
        if !items.is_empty() {
            bvh.nodes.push(Node { bounds: Aabb::EMPTY, first: 0, count: 0 });
            bvh.build(0, &mut items, 0, 0);
        }
        bvh.names = items.iter().map(|item| item.name).collect();
        bvh.elements = bvh.names.iter().map(|&name| elements[name as usize].clone()).collect();
        bvh
    }

    /// The element of a hit.
    pub(crate) fn get(&self, hit: &Hit) -> &T {
        &self.elements[hit.place as usize]
    }

    /// All elements, in the order of the hierarchy.
    pub(crate) fn elements(&self) -> &[T] {
        &self.elements
    }

    /// The box around all elements.
    pub(crate) fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds)
    }

    fn build(&mut self, node: usize, items: &mut [Item], first: usize, depth: usize) {
        let bounds = items.iter().fold(Aabb::EMPTY, |b, item| b.union(&item.bounds));
        if items.len() <= LEAF {
            self.nodes[node] = Node { bounds, first: first as u32, count: items.len() as u32 };
            return;
        }
        let middle = split(items, depth);
        let child = self.nodes.len();
        self.nodes[node] = Node { bounds, first: child as u32, count: 0 };
        self.nodes.extend([Node { bounds: Aabb::EMPTY, first: 0, count: 0 }; 2]);
        let (left, right) = items.split_at_mut(middle);
        self.build(child, left, first, depth + 1);
        self.build(child + 1, right, first + middle, depth + 1);
    }

    /// The nearest element that `ray` meets in (`from`, `to`).
    pub(crate) fn nearest(&self, ray: &Ray, from: f64, to: f64) -> Option<Hit> {
        let mut best = None;
        self.visit(ray, to, |element, limit| {
            if let Some(distance) = self.elements[element].meets(ray, from, *limit) {
                *limit = distance;
                best = Some(Hit { distance, element: self.names[element], place: element as u32 });
            }
            false
        });
        best
    }

    /// As [`Bvh::nearest`], and whether no other element is met less than `room` behind the nearest: where one is, the
    /// order of visits or rounding may say which of the two comes first.
    pub(crate) fn nearest_apart(&self, ray: &Ray, from: f64, to: f64, room: f64) -> Option<(Hit, bool)> {
        let mut best: Option<Hit> = None;
        let mut second = f64::INFINITY;
        self.visit(ray, to, |element, limit| {
            if let Some(distance) = self.elements[element].meets(ray, from, *limit) {
                let first = best.map_or(f64::INFINITY, |hit| hit.distance);
                second = second.min(first.max(distance));
                if distance < first {
                    *limit = to.min(distance + room);
                    best = Some(Hit { distance, element: self.names[element], place: element as u32 });
                }
            }
            false
        });
        best.map(|hit| (hit, second >= hit.distance + room))
    }

    /// True when `ray` meets anything in (`from`, `to`).
    pub(crate) fn any(&self, ray: &Ray, from: f64, to: f64) -> bool {
        self.visit(ray, to, |element, limit| self.elements[element].meets(ray, from, *limit).is_some())
    }

    /// Calls `found` for every element that `ray` meets in (`from`, `to`), in no useful order.
    pub(crate) fn all(&self, ray: &Ray, from: f64, to: f64, mut found: impl FnMut(Hit)) {
        self.visit(ray, to, |element, limit| {
            if let Some(distance) = self.elements[element].meets(ray, from, *limit) {
                found(Hit { distance, element: self.names[element], place: element as u32 });
            }
            false
        });
    }

    /// Shows `test` the elements of every leaf that the ray enters before the limit, near leaves first, until it is
    /// true.
    #[inline(always)]
    fn visit(&self, ray: &Ray, to: f64, mut test: impl FnMut(usize, &mut f64) -> bool) -> bool {
        let mut limit = to;
        // Many rays miss everything: they need no stack.
        let Some(entry) = self.nodes.first().and_then(|root| ray.enters(&root.bounds, limit)) else { return false };
        let mut stack = [(0u32, 0.0f64); STACK];
        stack[0] = (0, entry);
        let mut height = 1;
        while height > 0 {
            height -= 1;
            let (place, entry) = stack[height];
            if entry > limit {
                continue;
            }
            let node = &self.nodes[place as usize];
            if node.count > 0 {
                let elements = node.first as usize..(node.first + node.count) as usize;
                for element in elements {
                    if test(element, &mut limit) {
                        return true;
                    }
                }
                continue;
            }
            let (left, right) = (node.first, node.first + 1);
            let enter_left = ray.enters(&self.nodes[left as usize].bounds, limit);
            let enter_right = ray.enters(&self.nodes[right as usize].bounds, limit);
            match (enter_left, enter_right) {
                (Some(l), Some(r)) => {
                    let (near, far) = if l <= r { ((left, l), (right, r)) } else { ((right, r), (left, l)) };
                    stack[height] = far;
                    stack[height + 1] = near;
                    height += 2;
                }
                (Some(l), None) => {
                    stack[height] = (left, l);
                    height += 1;
                }
                (None, Some(r)) => {
                    stack[height] = (right, r);
                    height += 1;
                }
                (None, None) => {}
            }
        }
        false
    }
}

/// Orders `items` into two groups and returns the size of the first; neither is empty.
fn split(items: &mut [Item], depth: usize) -> usize {
    let centers = items.iter().fold(Aabb::EMPTY, |b, item| b.union(&Aabb::new(item.center, item.center)));
    let size = centers.size();
    let axis = (0..3).max_by(|&i, &j| size[i].total_cmp(&size[j])).unwrap_or(0);
    let (low, extent) = (centers.min[axis], size[axis]);
    if depth < HEURISTIC_DEPTH && extent > 0.0 {
        let bin = |item: &Item| (((item.center[axis] - low) / extent * BINS as f64) as usize).min(BINS - 1);
        if let Some(border) = cheapest_border(items, &bin) {
            return partition(items, |item| bin(item) < border);
        }
    }
    let middle = items.len() / 2;
    let order = |a: &Item, b: &Item| a.center[axis].total_cmp(&b.center[axis]).then(a.name.cmp(&b.name));
    items.select_nth_unstable_by(middle, order);
    middle
}

/// The border between bins with the least (area x count) summed over both sides.
fn cheapest_border(items: &[Item], bin: &impl Fn(&Item) -> usize) -> Option<usize> {
    let mut bins = [(Aabb::EMPTY, 0usize); BINS];
    for item in items {
        let slot = &mut bins[bin(item)];
        *slot = (slot.0.union(&item.bounds), slot.1 + 1);
    }
    let cost = |range: std::ops::Range<usize>| {
        let (bounds, count) = bins[range].iter().fold((Aabb::EMPTY, 0), |(b, n), s| (b.union(&s.0), n + s.1));
        (count, half_area(&bounds) * count as f64)
    };
    let mut best: Option<(usize, f64)> = None;
    for border in 1..BINS {
        let ((left, cost_left), (right, cost_right)) = (cost(0..border), cost(border..BINS));
        let total = cost_left + cost_right;
        if left > 0 && right > 0 && best.is_none_or(|(_, least)| total < least) {
            best = Some((border, total));
        }
    }
    best.map(|(border, _)| border)
}

fn half_area(bounds: &Aabb) -> f64 {
    let s = bounds.size();
    s.x * s.y + s.y * s.z + s.z * s.x
}

/// Moves the items for which `left` holds to the front and returns their number.
fn partition(items: &mut [Item], left: impl Fn(&Item) -> bool) -> usize {
    let mut front = 0;
    for i in 0..items.len() {
        if left(&items[i]) {
            items.swap(front, i);
            front += 1;
        }
    }
    front
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intersect::Element;
    use crate::test_support::Random;

    fn cloud(count: usize) -> Vec<Element> {
        let mut random = Random::new(7);
        (0..count)
            .map(|i| {
                let p = random.vector() * 10.0;
                match i % 3 {
                    0 => Element::Sphere { center: p, radius: 0.05 + 0.3 * random.unit() },
                    1 => Element::Capsule { start: p, end: p + random.vector(), radius: 0.1 },
                    _ => Element::triangle(p, p + random.vector(), p + random.vector()),
                }
            })
            .collect()
    }

    #[test]
    fn the_hierarchy_finds_what_a_search_through_all_elements_finds() {
        let elements = cloud(500);
        let bvh = Bvh::new(&elements);
        let mut random = Random::new(11);
        let (mut met, mut doubtful) = (0, 0);
        for _ in 0..2000 {
            let origin = random.vector() * 20.0;
            let ray = Ray::new(origin, (random.vector() * 8.0 - origin).normalize_or(DVec3::X));
            let limit = 30.0 * random.unit();
            let brute = elements
                .iter()
                .enumerate()
                .filter_map(|(i, e)| e.meets(&ray, 1e-3, limit).map(|t| (t, i as u32)))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            let found = bvh.nearest(&ray, 1e-3, limit).map(|h| (h.distance, h.element));
            assert_eq!(found, brute);
            assert_eq!(bvh.any(&ray, 1e-3, limit), brute.is_some());
            let room = 2.0;
            let apart = bvh.nearest_apart(&ray, 1e-3, limit, room);
            assert_eq!(apart.map(|(h, _)| (h.distance, h.element)), brute);
            if let (Some((_, apart)), Some((first, name))) = (apart, brute) {
                let others = elements.iter().enumerate().filter(|(i, _)| *i as u32 != name);
                let close = others.filter(|(_, e)| e.meets(&ray, 1e-3, limit.min(first + room)).is_some()).count();
                assert_eq!(apart, close == 0);
                doubtful += close.min(1);
            }
            let mut count = 0;
            bvh.all(&ray, 1e-3, limit, |_| count += 1);
            assert_eq!(count, elements.iter().filter(|e| e.meets(&ray, 1e-3, limit).is_some()).count());
            met += usize::from(brute.is_some());
        }
        assert!(met > 200 && doubtful > 20 && doubtful < met / 2, "{met} {doubtful}");
    }

    #[test]
    fn many_elements_in_one_place_and_no_elements_are_no_trouble() {
        let same = vec![Element::Sphere { center: DVec3::ONE, radius: 1.0 }; 300];
        let ray = Ray::new(DVec3::new(1.0, 1.0, -5.0), DVec3::Z);
        let hit = Bvh::new(&same).nearest(&ray, 0.0, f64::INFINITY).expect("a ball in the way");
        assert_eq!(hit.distance, 5.0);
        assert!(Bvh::<Element>::new(&[]).nearest(&ray, 0.0, f64::INFINITY).is_none());
        let broken = [Element::Sphere { center: DVec3::NAN, radius: 1.0 }];
        assert!(!Bvh::new(&broken).any(&ray, 0.0, f64::INFINITY));
    }
}
