//! A convex polyhedron that is cut by half-spaces.
//!
//! A cut is made only if it is clean: no corner lies near the plane and no edge becomes short. Which side a corner lies
//! on is then never a matter of rounding, every face stays a polygon, and the surface stays closed.

use granule_model::DVec3;

/// A face: its plane `normal . x = offset` and its corners, counter-clockwise seen from outside.
#[derive(Clone, Debug)]
pub(crate) struct Face {
    pub(crate) normal: DVec3,
    pub(crate) offset: f64,
    pub(crate) corners: Vec<u32>,
    /// Whether it is of the box that everything is cut from.
    pub(crate) of_box: bool,
}

/// A convex polyhedron around the origin.
#[derive(Clone, Debug)]
pub(crate) struct Polyhedron {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) faces: Vec<Face>,
}

/// An edge that a plane cuts and the corner made there.
struct CutEdge {
    ends: [u32; 2],
    corner: u32,
}

impl Polyhedron {
    /// The cube of half side `half`.
    pub(crate) fn cube(half: f64) -> Self {
        let corner = |i: u32| DVec3::from_array([0, 1, 2].map(|k| if i >> k & 1 == 1 { half } else { -half }));
        let mut faces = Vec::new();
        for axis in 0..3 {
            let (u, v) = (1u32 << ((axis + 1) % 3), 1u32 << ((axis + 2) % 3));
            for up in [false, true] {
                let base = if up { 1 << axis } else { 0 };
                let mut corners = vec![base, base + u, base + u + v, base + v];
                let mut normal = DVec3::AXES[axis];
                if !up {
                    corners.reverse();
                    normal = -normal;
                }
                faces.push(Face { normal, offset: half, corners, of_box: true });
            }
        }
        Polyhedron { vertices: (0..8).map(corner).collect(), faces }
    }

    /// Largest `normal . x`.
    pub(crate) fn support(&self, normal: DVec3) -> f64 {
        self.vertices.iter().map(|v| v.dot(normal)).fold(f64::NEG_INFINITY, f64::max)
    }

    /// What is left where `normal . x <= offset`; none if the cut takes nothing, or a corner lies within `margin` of
    /// the plane, or an edge of the new face would be shorter than `margin`.
    pub(crate) fn cut(&self, normal: DVec3, offset: f64, margin: f64) -> Option<Polyhedron> {
        let heights: Vec<f64> = self.vertices.iter().map(|v| v.dot(normal) - offset).collect();
        if heights.iter().any(|h| h.abs() < margin) || heights.iter().all(|&h| h < 0.0) {
            return None;
        }
        let mut left = Polyhedron { vertices: self.vertices.clone(), faces: Vec::new() };
        let mut cut_edges: Vec<CutEdge> = Vec::new();
        // Edges of the new face, from where a face is left to where it is entered, seen from outside.
        let mut rim: Vec<[u32; 2]> = Vec::new();
        for face in &self.faces {
            let (mut corners, mut left_at, mut entered_at) = (Vec::new(), None, None);
            for (k, &a) in face.corners.iter().enumerate() {
                let b = face.corners[(k + 1) % face.corners.len()];
                let (below_a, below_b) = (heights[a as usize] < 0.0, heights[b as usize] < 0.0);
                if below_a {
                    corners.push(a);
                }
                if below_a != below_b {
                    let corner = left.corner_on(a, b, &heights, &mut cut_edges);
                    corners.push(corner);
                    *(if below_a { &mut left_at } else { &mut entered_at }) = Some(corner);
                }
            }
            if let (Some(from), Some(to)) = (left_at, entered_at) {
                rim.push([to, from]);
            }
            if corners.len() >= 3 {
                left.faces.push(Face { corners, ..face.clone() });
            }
        }
        let corners = chain(&rim)?;
        let short = |&[a, b]: &[u32; 2]| left.vertices[a as usize].distance(left.vertices[b as usize]) < margin;
        if rim.iter().any(short) {
            return None;
        }
        left.faces.push(Face { normal, offset, corners, of_box: false });
        left.drop_unused();
        Some(left)
    }

    /// The corner where the plane cuts the edge between `a` and `b`, the same for both faces of the edge.
    fn corner_on(&mut self, a: u32, b: u32, heights: &[f64], cut: &mut Vec<CutEdge>) -> u32 {
        let ends = [a.min(b), a.max(b)];
        if let Some(known) = cut.iter().find(|c| c.ends == ends) {
            return known.corner;
        }
        let [h, k] = ends.map(|i| heights[i as usize]);
        let [p, q] = ends.map(|i| self.vertices[i as usize]);
        let corner = self.vertices.len() as u32;
        self.vertices.push(p + (q - p) * (h / (h - k)));
        cut.push(CutEdge { ends, corner });
        corner
    }

    /// Forgets corners of no face; the others keep their order.
    fn drop_unused(&mut self) {
        let mut number = vec![u32::MAX; self.vertices.len()];
        self.faces.iter().flat_map(|f| &f.corners).for_each(|&i| number[i as usize] = 0);
        let mut kept = Vec::new();
        for (slot, &vertex) in number.iter_mut().zip(&self.vertices) {
            if *slot == 0 {
                *slot = kept.len() as u32;
                kept.push(vertex);
            }
        }
        self.vertices = kept;
        self.faces.iter_mut().flat_map(|f| &mut f.corners).for_each(|i| *i = number[*i as usize]);
    }

    /// Each face as a fan of triangles.
    pub(crate) fn triangles(&self) -> Vec<[u32; 3]> {
        let fan = |f: &Face| {
            let corners = f.corners.clone();
            (2..corners.len()).map(move |k| [corners[0], corners[k - 1], corners[k]])
        };
        self.faces.iter().flat_map(fan).collect()
    }
}

/// The polygon of directed edges; none if they are not one closed ring.
fn chain(edges: &[[u32; 2]]) -> Option<Vec<u32>> {
    let mut ring = vec![edges.first()?[0]];
    for _ in 1..edges.len() {
        let last = *ring.last()?;
        ring.push(edges.iter().find(|e| e[0] == last)?[1]);
    }
    let closes = edges.iter().any(|e| e[0] == ring[ring.len() - 1] && e[1] == ring[0]);
    (closes && edges.len() >= 3).then_some(ring)
}
