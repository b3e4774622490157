//! Room `laws`: what all impact laws have in common ([`law`]), the laws in their families, and all of them by name
//! ([`Law`]). Uses the rooms `contact` and `stage`.

pub mod law;
pub mod normal;
pub mod plastic;
pub mod rbss;
pub mod smm;
pub mod sqm;
pub mod tracking;

use granule_model::DVec3;
use serde::{Deserialize, Serialize};

use crate::contact::problem::{ContactProblem, ProblemError, Solution};
use crate::contact::samples::ball;
use crate::laws::law::ImpactLaw;
use crate::laws::normal::gr::Gr;
use crate::laws::normal::lcp::Lcp;
use crate::laws::normal::lzb::Lzb;
use crate::laws::normal::qce::Qce;
use crate::laws::normal::qce_lcp::QceLcp;
use crate::laws::rbss::{Rbss, RbssLinear};
use crate::laws::smm::Smm;
use crate::laws::sqm::Sqm;
use crate::laws::tracking::LawMemory;
use crate::laws::tracking::etm::Etm;
use crate::laws::tracking::etm_weighted::EtmWeighted;

/// An impact law with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Law {
    /// One contact after the other, worst first (Tang 2014, appendix A).
    Sqm(Sqm),
    /// All contacts by one linear system (Tang 2014, appendix B).
    Smm(Smm),
    /// Energy tracking (Tang 2014).
    Etm(Etm),
    /// Energy tracking by mass-weighted velocity (Tan 2024).
    EtmWeighted(EtmWeighted),
    /// Quadratic contact energy (Zhang 2015, algorithm 1).
    Qce(Qce),
    /// Complementarity with the post-velocities of QCE (Zhang 2015, section 4).
    QceLcp(QceLcp),
    /// Concurrent contacts with the true friction cone (thesis 2005).
    Rbss(Rbss),
    /// The same with tangent directions held (thesis 2005, appendix A.1).
    RbssLinear(RbssLinear),
    /// Newton's restitution by linear complementarity (Zhang 2015, section 5).
    Lcp(Lcp),
    /// Generalised reflections (Smith 2012).
    Gr(Gr),
    /// The distribution law of Liu, Zhao and Brogliato 2008.
    Lzb(Lzb),
}

impl Default for Law {
    fn default() -> Self {
        Law::Etm(Etm::default())
    }
}

impl Law {
    /// Names of all laws, as in scene files and on the command line.
    pub const NAMES: [&str; 11] =
        ["sqm", "smm", "etm", "etm-weighted", "qce", "qce-lcp", "rbss", "rbss-linear", "lcp", "gr", "lzb"];

    /// The law called `name`, with the parameters of its paper; none for a name that no law has.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "sqm" => Law::Sqm(Sqm::default()),
            "smm" => Law::Smm(Smm),
            "etm" => Law::Etm(Etm::default()),
            "etm-weighted" => Law::EtmWeighted(EtmWeighted::default()),
            "qce" => Law::Qce(Qce::default()),
            "qce-lcp" => Law::QceLcp(QceLcp::default()),
            "rbss" => Law::Rbss(Rbss::default()),
            "rbss-linear" => Law::RbssLinear(RbssLinear::default()),
            "lcp" => Law::Lcp(Lcp::default()),
            "gr" => Law::Gr(Gr::default()),
            "lzb" => Law::Lzb(Lzb::default()),
            _ => return None,
        })
    }

    /// The law itself.
    pub fn law(&self) -> &dyn ImpactLaw {
        match self {
            Law::Sqm(law) => law,
            Law::Smm(law) => law,
            Law::Etm(law) => law,
            Law::EtmWeighted(law) => law,
            Law::Rbss(law) => law,
            Law::RbssLinear(law) => law,
            Law::Qce(law) => law,
            Law::QceLcp(law) => law,
            Law::Lcp(law) => law,
            Law::Gr(law) => law,
            Law::Lzb(law) => law,
        }
    }

    /// As [`ImpactLaw::resolve_from`], with the memory of problems before, into a `solution` whose memory is used
    /// again. Energy tracking and the sequential method allocate nothing so once they have met problems as large; the
    /// other laws do for every problem.
    ///
    /// # Errors
    /// As [`ImpactLaw::resolve`]; `solution` is then that of no problem.
    pub fn resolve_into(
        &self,
        problem: &ContactProblem,
        left: f64,
        plastic: &[DVec3],
        memory: &mut LawMemory,
        solution: &mut Solution,
    ) -> Result<(), ProblemError> {
        match self {
            Law::Etm(law) => law.resolve_into(problem, left, memory, solution),
            Law::Sqm(law) => law.resolve_into(problem, left, memory, solution),
            _ => {
                *solution = self.law().resolve_from(problem, left, plastic)?;
                Ok(())
            }
        }
    }

    /// Whether the law tracks energy through the contact stage and gives it back in the release; the others resolve the
    /// impacts of a step before its forces act.
    pub fn is_released(&self) -> bool {
        matches!(self, Law::Etm(_) | Law::EtmWeighted(_))
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// [`ProblemError::Parameter`] for the first that is out of its range.
    pub fn validate(&self) -> Result<(), ProblemError> {
        let alone = ball(1.0, 1.0, DVec3::ZERO, DVec3::ZERO);
        self.law().resolve(&ContactProblem { bodies: vec![alone], contacts: Vec::new() }).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_that_of_its_law() {
        for name in Law::NAMES {
            let law = Law::by_name(name).expect("a law for every name");
            assert_eq!(law.law().name(), name);
            assert_eq!(law.validate(), Ok(()));
        }
        assert_eq!(Law::by_name("penalty"), None);
    }
}
