//! Phase `impact`: the laws that resolve all contacts of a cluster at once.
//!
//! The contact stage has brought the bodies to where they touch and says which contacts were hit
//! ([`granule_solver::hit`]). A *cluster* is what hangs together by touching contacts through bodies that can move.
//! Every cluster with a hit contact is given to the law of the scene. A body that rests on something goes in with its
//! velocity from before the forces of the step: its load has no approach speed then and is no impact. A body in flight,
//! all of whose contacts are hit, goes in with the forces added, as it arrives: without them a ball dropped from 2 m at
//! 60 Hz with e = 1 rose to 0.86 of its height. The law finds no forces, no gaps and no time.
//!
//! What the law answers, with the forces of the step added where they were not, is where the contact stage starts anew,
//! for the contacts that touch: it carries the load of the step. Poses move by the velocities of the first contact
//! stage all the same, which close gaps and leave no overlap. A body set in motion meets the next one in the next step:
//! nothing that the law gave it is lost before.
//!
//! **Plastic.** Where nothing is given back in a cluster, steps go from touch to touch, and slow blows are told, the
//! contact stage answers for laws that are joined to it ([`granule_solver::plastic`]): they stop all contacts together
//! in a step as well. Where more than two bodies move 200 bricks that fall met twice as many impacts so, and took 2.6
//! times as long.
//!
//! **Fallback.** No step is made with a wrong answer. An answer is refused when the law did not converge, when it
//! raises the kinetic energy, net of the work of driven bodies, by more than [`GAIN`] of it and of that work, when it
//! pulls by more than [`PULL`] of its largest impulse, or when it leaves an approach that would be a hit. Then energy
//! tracking is asked, and of clusters of up to [`SMALL`] contacts the sequential method, whose answers are judged in
//! the same way and counted in [`ImpactTotals::substituted`]. A cluster whose answers are all refused is left to the
//! contact stage, as if its restitution were zero, and counted in [`ImpactTotals::fallbacks`]. So was each that the law
//! of the scene did not answer: a capsule in a corner kept a tenth of its energy under `rbss` with e = 1, and balls of
//! 1 : 1000 of the mass of their neighbours all but none under `etm`.

use std::sync::{Mutex, PoisonError};

use granule_islands::Islands;
use granule_model::{DMat3, DVec3, Velocity};
use granule_solver::{
    ContactProblem, Etm, Judge, Law, LawMemory, ProblemBody, ProblemContact, Solution, Sqm, StageMemory, SweepCounts,
    resolve_plastic,
};
use rayon::prelude::*;

use crate::islands::limits::Limits;
use crate::world::bodies::Bodies;
use crate::world::contact::Contact;
use crate::world::pairs::Pairs;

/// Rise of kinetic energy that is rounding, over the kinetic energy of the cluster and what driven bodies did in it.
const GAIN: f64 = 1e-13;
/// Pull that is rounding, over the largest impulse.
const PULL: f64 = 1e-9;

/// Contacts of a cluster up to which the sequential method answers in place of the law of the scene. In large ones it
/// does not end.
const SMALL: usize = 100;

/// Impulses of the sequential method in a cluster after which it is no answer any more, if its own bound for each
/// contact is not met before. A ball between a wall and one of 100 000 times its mass takes 500; bodies caught before a
/// blade have no answer.
const MOST_IMPULSES: u32 = 10_000;

/// What the phase did in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ImpactTotals {
    /// Hit contacts that the law resolved.
    pub(crate) hits: u32,
    /// Clusters resolved.
    pub(crate) resolved: u32,
    /// Of them those that another law answered than that of the scene.
    pub(crate) substituted: u32,
    /// Clusters whose answers were refused.
    pub(crate) fallbacks: u32,
    /// Iterations of the law, summed.
    pub(crate) iterations: u64,
    /// Kinetic energy taken by normal impulses, and by tangential ones \[J\].
    pub(crate) normal_work: f64,
    pub(crate) friction_work: f64,
    /// Work of driven bodies \[J\].
    pub(crate) driven_work: f64,
    /// Largest rise of a cluster's kinetic energy, over what it was and what driven bodies did.
    pub(crate) gain: f64,
    /// Largest relative error of a cluster's energy book.
    pub(crate) error: f64,
    /// What the contact stage went through once more.
    pub(crate) swept: SweepCounts,
}

/// How a contact of the engine's list stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
    pub(crate) touches: bool,
    pub(crate) hit: bool,
    /// Impulse of the contact stage on A \[N s\].
    pub(crate) impulse: DVec3,
}

/// The phase with the memory that it keeps from step to step.
#[derive(Debug, Default)]
pub(crate) struct Impact {
    islands: Islands,
    awake: Vec<bool>,
    /// How each contact of the engine's list stands; filled before [`Impact::resolve`].
    pub(crate) standing: Vec<Standing>,
    /// Contacts that touch, and their bodies.
    touching: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    slot: Vec<u32>,
    /// Velocities after the forces of the step, by body; filled before.
    pub(crate) forced: Vec<Velocity>,
    /// Velocities that the law starts from, by body; afterwards those that it leaves.
    pub(crate) velocity: Vec<Velocity>,
    /// Bodies with a contact that touches and was not hit.
    resting: Vec<bool>,
    /// Bodies of clusters that were resolved.
    pub(crate) struck: Vec<bool>,
    /// Impulses of impacts on bodies that did not move \[N s\], and whether there was friction.
    pub(crate) withstood: Vec<(u32, DVec3, bool)>,
    /// Impulses of impacts on A \[N s\], by the place of the contact in the engine's list.
    pub(crate) given: Vec<(u32, DVec3)>,
    /// The clusters, with memory for more.
    clusters: Vec<Cluster>,
    /// What plastic answers are found with, by none of the clusters that are resolved at a time.
    stages: Stages,
}

/// Memory of contact stages, as much as clusters resolved at a time.
type Stages = Mutex<Vec<StageMemory>>;

/// A cluster to resolve, with the memory that it takes.
#[derive(Debug, Default)]
struct Cluster {
    /// Dense index of each body of the problem.
    bodies: Vec<u32>,
    /// Place of each contact of the problem in the engine's list.
    contacts: Vec<u32>,
    problem: ContactProblem,
    /// Impulses of the contact stage.
    plastic: Vec<DVec3>,
    hits: u32,
    /// How fast its bodies are against each other \[m/s\].
    speed: f64,
    memory: LawMemory,
    judge: Judge,
    answer: Solution,
    /// Whether a step can be made with the answer; see the head of the module.
    is_acceptable: bool,
    /// Whether it is that of another law than the scene's.
    is_substituted: bool,
}

impl Impact {
    /// Chooses the velocities that the law starts from; `unforced` are those before the forces of the step.
    pub(crate) fn approach(&mut self, bodies: &Bodies<'_>, contacts: &[Contact], unforced: &[Velocity]) {
        self.resting.clear();
        self.resting.resize(bodies.len(), false);
        for (contact, _) in contacts.iter().zip(&self.standing).filter(|(_, s)| s.touches && !s.hit) {
            self.resting[contact.a as usize] = true;
            self.resting[contact.b as usize] = true;
        }
        self.velocity.clear();
        self.velocity.extend((0..bodies.len()).map(|i| {
            // A driven body strikes with the velocity that it has now.
            if bodies.dynamic[i] && self.resting[i] { unforced[i] } else { self.forced[i] }
        }));
    }

    /// Whether a body met the law with its velocity from before the forces of the step.
    pub(crate) fn was_resting(&self, i: usize) -> bool {
        self.resting[i]
    }

    /// What the forces of the step have still to add to the velocity that the law left, given what they add in all.
    pub(crate) fn still_to_add(&self, i: usize, by_forces: Velocity) -> Velocity {
        if self.resting[i] { by_forces } else { Velocity::ZERO }
    }

    /// Begins a part: no impact yet.
    pub(crate) fn begin(&mut self) {
        self.withstood.clear();
        self.given.clear();
        self.struck.clear();
    }

    /// Resolves the clusters that were hit, from `velocity` to `velocity`.
    pub(crate) fn resolve(
        &mut self,
        law: &Law,
        bodies: &Bodies<'_>,
        contacts: &[Contact],
        pairs: &Pairs,
        limits: &Limits,
    ) -> ImpactTotals {
        let mut totals = ImpactTotals::default();
        self.begin();
        self.struck.resize(bodies.len(), false);
        if !self.standing.iter().any(|s| s.hit) {
            return totals;
        }
        let count = self.find_clusters(bodies, contacts, pairs, limits);
        let (mut clusters, stages) = (std::mem::take(&mut self.clusters), &self.stages);
        let found = &mut clusters[..count];
        if found.len() > 1 {
            found.par_iter_mut().for_each(|cluster| cluster.resolve(law, limits, stages));
        } else {
            found.iter_mut().for_each(|cluster| cluster.resolve(law, limits, stages));
        }
        for cluster in found {
            if cluster.is_acceptable {
                totals.add(cluster);
                self.apply(cluster);
            } else {
                totals.fallbacks += 1;
            }
        }
        self.clusters = clusters;
        totals
    }

    /// Finds the clusters that hold a hit contact; how many there are.
    fn find_clusters(&mut self, bodies: &Bodies<'_>, contacts: &[Contact], pairs: &Pairs, limits: &Limits) -> usize {
        self.awake.clear();
        self.awake.extend((0..bodies.len()).map(|i| bodies.awake(i)));
        self.touching.clear();
        self.touching.extend((0..contacts.len() as u32).filter(|c| self.standing[*c as usize].touches));
        self.pairs.clear();
        self.pairs.extend(self.touching.iter().map(|c| (contacts[*c as usize].a, contacts[*c as usize].b)));
        self.islands.build(bodies.len(), &self.awake, &self.pairs);
        self.slot.resize(bodies.len(), 0);
        let mut count = 0;
        for island in self.islands.iter() {
            let own = || island.contacts.iter().map(|c| self.touching[*c as usize] as usize);
            let hits = own().filter(|c| self.standing[*c].hit).count() as u32;
            if hits == 0 {
                continue;
            }
            if self.clusters.len() == count {
                self.clusters.push(Cluster::default());
            }
            let Cluster { bodies: members, contacts: places, problem, plastic, hits: hit, speed, .. } =
                &mut self.clusters[count];
            count += 1;
            members.clear();
            members.extend_from_slice(island.bodies);
            members.iter().enumerate().for_each(|(k, i)| self.slot[*i as usize] = k as u32);
            let mobile = members.len();
            // A cluster touches few bodies that cannot move, so a search among them is quick.
            let mut place = |body: u32| {
                if self.awake[body as usize] {
                    return self.slot[body as usize];
                }
                let known = members[mobile..].iter().position(|m| *m == body);
                let k = known.unwrap_or_else(|| {
                    members.push(body);
                    members.len() - 1 - mobile
                });
                (mobile + k) as u32
            };
            let contact = |c: usize| {
                let (a, b) = (place(contacts[c].a), place(contacts[c].b));
                ProblemContact { a, b: Some(b), ..problem_contact(bodies, pairs, &contacts[c], &self.velocity) }
            };
            let ContactProblem { bodies: of_bodies, contacts: of_problem } = &mut *problem;
            of_problem.clear();
            of_problem.extend(own().map(contact));
            let is_given_back = |(c, of): (usize, &ProblemContact)| {
                is_given_back(&contacts[c], of.coefficients.restitution, bodies, &self.velocity, limits)
            };
            if limits.at_touch && !own().zip(&*of_problem).any(is_given_back) {
                of_problem.iter_mut().for_each(|of| of.coefficients.restitution = 0.0);
            }
            let body = |i: &u32| {
                let i = *i as usize;
                problem_body(bodies, i, self.velocity[i], self.awake[i])
            };
            of_bodies.clear();
            of_bodies.extend(members.iter().map(body));
            plastic.clear();
            plastic.extend(own().map(|c| self.standing[c].impulse));
            places.clear();
            places.extend(own().map(|c| c as u32));
            (*hit, *speed) = (hits, speed_within(problem));
        }
        count
    }

    /// Gives the bodies of a cluster their velocities after.
    fn apply(&mut self, cluster: &Cluster) {
        let answer = &cluster.answer;
        for (i, after) in cluster.bodies.iter().map(|i| *i as usize).zip(&answer.velocities) {
            if self.awake[i] {
                self.velocity[i] = *after;
                self.struck[i] = true;
            }
        }
        self.given.extend(cluster.contacts.iter().copied().zip(answer.impulses.iter().copied()));
        for (contact, p) in cluster.problem.contacts.iter().zip(&answer.impulses) {
            let ends = [(Some(contact.a), *p), (contact.b, -*p)];
            let has_friction = contact.coefficients.static_friction > 0.0;
            let ends = ends.into_iter().filter_map(|(k, p)| Some((cluster.bodies[k? as usize], p, has_friction)));
            self.withstood.extend(ends.filter(|(i, ..)| !self.awake[*i as usize]));
        }
    }
}

impl Cluster {
    /// Lets the law answer, or others in its place where its answer is refused.
    fn resolve(&mut self, law: &Law, limits: &Limits, stages: &Stages) {
        let contacts = &self.problem.contacts;
        let is_small = contacts.len() <= SMALL;
        let is_plastic = || contacts.iter().all(|contact| contact.coefficients.restitution == 0.0);
        self.is_substituted = false;
        self.is_acceptable = limits.at_touch
            && limits.resolves_slow
            && law.is_released()
            && is_plastic()
            && self.answer_by_stage(limits, stages);
        if self.is_acceptable {
            return;
        }
        self.is_acceptable = self.answer_by(law, limits);
        self.is_substituted = !self.is_acceptable;
        let of_each = Sqm::default().max_impulses;
        let max_impulses = (MOST_IMPULSES / self.problem.contacts.len() as u32).clamp(1, of_each);
        let others = [Law::Etm(Etm::default()), Law::Sqm(Sqm { max_impulses })];
        let others = others.iter().filter(|other| *other != law && (is_small || matches!(other, Law::Etm(_))));
        for other in others {
            if self.is_acceptable {
                break;
            }
            self.is_acceptable = self.answer_by(other, limits);
        }
    }

    /// Lets the contact stage answer, as if nothing were given back; whether a step can be made with that.
    fn answer_by_stage(&mut self, limits: &Limits, stages: &Stages) -> bool {
        let Cluster { problem, speed, memory, judge, answer, .. } = self;
        let lock = || stages.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stage = lock().pop().unwrap_or_default();
        let is_answered = resolve_plastic(problem, memory, &mut stage, answer).is_ok();
        lock().push(stage);
        is_answered && is_acceptable(judge, problem, answer, limits.hits(*speed).fast)
    }

    /// Lets a law answer; whether a step can be made with that.
    fn answer_by(&mut self, law: &Law, limits: &Limits) -> bool {
        let Cluster { problem, plastic, speed, memory, judge, answer, .. } = self;
        // Every cluster is well-formed; a law that says otherwise is refused like any wrong answer.
        let is_answered = law.resolve_into(problem, limits.left(*speed), plastic, memory, answer).is_ok();
        is_answered && is_acceptable(judge, problem, answer, limits.hits(*speed).fast)
    }
}

impl ImpactTotals {
    fn add(&mut self, cluster: &Cluster) {
        let Cluster { problem, answer, .. } = cluster;
        self.hits += cluster.hits;
        self.resolved += 1;
        self.substituted += u32::from(cluster.is_substituted);
        self.iterations += answer.resolution.iterations;
        let (mut taken, mut normal, mut driven) = (0.0, 0.0, 0.0);
        for ((contact, p), work) in problem.contacts.iter().zip(&answer.impulses).zip(&answer.work_taken) {
            let mean = 0.5
                * (problem.relative_velocity_before(contact) + problem.relative_velocity(contact, &answer.velocities));
            normal -= contact.normal.dot(*p) * contact.normal.dot(mean);
            taken += work;
            driven += driven_work(problem, contact, *p);
        }
        self.normal_work += normal;
        self.friction_work += taken - normal;
        self.driven_work += driven;
        let energy = energy_given(problem, answer, answer.resolution.energy_before).max(f64::MIN_POSITIVE);
        let change = answer.resolution.energy_after - answer.resolution.energy_before - driven;
        self.gain = self.gain.max(change / energy);
        // An elastic problem without friction keeps its energy; of others the book of the contacts can be checked.
        let elastic =
            problem.contacts.iter().all(|c| c.coefficients.restitution == 1.0 && c.coefficients.static_friction == 0.0);
        let expected = if elastic { 0.0 } else { -taken };
        self.error = self.error.max((change - expected).abs() / energy);
    }
}

/// A body as a law sees it; one that does not move by impulses keeps its velocity.
pub(crate) fn problem_body(bodies: &Bodies<'_>, i: usize, velocity: Velocity, moves: bool) -> ProblemBody {
    ProblemBody {
        inverse_mass: if moves { bodies.inverse_mass[i] } else { 0.0 },
        inverse_inertia: if moves { bodies.inverse_inertia[i].to_matrix() } else { DMat3::ZERO },
        position: bodies.pose[i].position,
        velocity,
    }
}

/// A contact as a law sees it that meets it with these velocities, its bodies by dense index.
pub(crate) fn problem_contact(
    bodies: &Bodies<'_>,
    pairs: &Pairs,
    c: &Contact,
    velocities: &[Velocity],
) -> ProblemContact {
    ProblemContact {
        a: c.a,
        b: Some(c.b),
        point: c.point,
        normal: c.normal,
        coefficients: pairs.of(bodies.table, c, bodies.pose, velocities),
    }
}

/// Whether a contact that bodies meet at touch with these velocities drives them apart faster than what may be.
fn is_given_back(c: &Contact, restitution: f64, bodies: &Bodies<'_>, velocities: &[Velocity], limits: &Limits) -> bool {
    let approach = -c.normal_velocity(bodies.pose, velocities);
    restitution * approach > limits.hits(c.speed(bodies.pose, velocities)).lift
}

/// Largest relative velocity at a contact \[m/s\].
fn speed_within(problem: &ContactProblem) -> f64 {
    problem.contacts.iter().map(|contact| problem.relative_velocity_before(contact).length()).fold(0.0, f64::max)
}

/// Work of bodies that no impulse moves, through an impulse on A \[J\].
fn driven_work(problem: &ContactProblem, contact: &ProblemContact, p: DVec3) -> f64 {
    let by = |body: Option<u32>| {
        let body = body.map(|i| &problem.bodies[i as usize]).filter(|b| b.inverse_mass == 0.0);
        body.map_or(0.0, |b| p.dot(b.velocity.at(contact.point - b.position)))
    };
    by(contact.b) - by(Some(contact.a))
}

/// What an answer has to do with \[J\]: the kinetic energy `before`, and what driven bodies do, which is all that there
/// is where they strike what stands still.
fn energy_given(problem: &ContactProblem, answer: &Solution, before: f64) -> f64 {
    let works = problem.contacts.iter().zip(&answer.impulses).map(|(contact, p)| driven_work(problem, contact, *p));
    before + works.map(f64::abs).sum::<f64>()
}

/// Whether a step can be made with an answer; see the head of the module.
fn is_acceptable(judge: &mut Judge, problem: &ContactProblem, answer: &Solution, fast: f64) -> bool {
    let verdict = judge.judge(problem, answer);
    let taken: f64 = answer.work_taken.iter().sum();
    answer.resolution.converged
        && taken >= -GAIN * energy_given(problem, answer, verdict.energy_before)
        && verdict.pull <= PULL
        && verdict.approach_left <= fast
        && verdict.velocity_error.is_finite()
}
