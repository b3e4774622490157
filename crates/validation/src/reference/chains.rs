//! The reference files of chains and racks of balls, Zhang et al. 2015, section 5: `data/reference/r2_chains.json` and
//! `r2_three_ball_hertz.json`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::read;
use crate::error::{Found, present};

/// Numbers by model: the name of a law with its restitution (`lcp_e0.5`), or a compliant contact.
pub(crate) type ByModel<T> = BTreeMap<String, T>;

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Chains {
    pub(crate) three_ball: Vec<Chain>,
    pub(crate) chains: Vec<Chain>,
    pub(crate) disturbance: Vec<Disturbance>,
    pub(crate) pool: Vec<Rack>,
    pub(crate) four_ball_exchange: Vec<Rack>,
    pub(crate) four_balls: Vec<Circle>,
}

/// Balls in a row; several states before the impact may stand one after the other.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Chain {
    pub(crate) name: String,
    pub(crate) masses: Vec<f64>,
    pub(crate) velocity_before: Vec<f64>,
    pub(crate) velocity_after: ByModel<Vec<f64>>,
    pub(crate) abs_tol: ByModel<f64>,
    pub(crate) qce_rounds: Rounds,
}

/// One number, or one for every state.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Rounds {
    One(u32),
    Each(Vec<u32>),
}

impl Rounds {
    /// The rounds for the state number `k`.
    pub(crate) fn of(&self, k: usize) -> Option<u32> {
        match self {
            Rounds::One(rounds) => Some(*rounds),
            Rounds::Each(all) => all.get(k).copied(),
        }
    }
}

/// Balls in a plane.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Rack {
    pub(crate) name: String,
    pub(crate) radius: f64,
    pub(crate) masses: Vec<f64>,
    pub(crate) position: Vec<f64>,
    pub(crate) velocity_before: Vec<f64>,
    pub(crate) contacts_a: Vec<u32>,
    pub(crate) contacts_b: Vec<u32>,
    pub(crate) velocity_after: ByModel<Vec<f64>>,
    pub(crate) abs_tol: ByModel<f64>,
    pub(crate) qce_rounds: Rounds,
}

/// A cradle whose balls are disturbed by `magnitude * r[i]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Disturbance {
    pub(crate) name: String,
    pub(crate) r: Vec<f64>,
    pub(crate) magnitudes: Vec<f64>,
    pub(crate) velocity_after: ByModel<Vec<f64>>,
}

/// Four balls that meet in the middle of a circular wall again and again.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Circle {
    pub(crate) radius: f64,
    pub(crate) wall_radius: f64,
    pub(crate) speed: f64,
    pub(crate) period: f64,
}

/// Three equal balls with Hertz contacts: the outer ones come with `x` and -1.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Hertz {
    pub(crate) x: Vec<f64>,
    pub(crate) velocity_before: Vec<f64>,
    pub(crate) hertz_ode: Vec<f64>,
}

impl Chains {
    pub(crate) fn load() -> Found<Self> {
        read("r2_chains.json", include_str!("../../../../data/reference/r2_chains.json"))
    }

    pub(crate) fn circle(&self) -> Found<&Circle> {
        present(self.four_balls.first(), "four balls in a circle")
    }
}

impl Hertz {
    pub(crate) fn load() -> Found<Self> {
        read("r2_three_ball_hertz.json", include_str!("../../../../data/reference/r2_three_ball_hertz.json"))
    }
}
