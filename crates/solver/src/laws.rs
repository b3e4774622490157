//! All impact laws by name.

use serde::{Deserialize, Serialize};

use crate::etm::Etm;
use crate::etm_weighted::EtmWeighted;
use crate::law::ImpactLaw;
use crate::problem::{ContactProblem, ProblemError};
use crate::rbss::{Rbss, RbssLinear};
use crate::smm::Smm;
use crate::sqm::Sqm;

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
    /// Concurrent contacts with the true friction cone (thesis 2005).
    Rbss(Rbss),
    /// The same with tangent directions held (thesis 2005, appendix A.1).
    RbssLinear(RbssLinear),
}

impl Default for Law {
    fn default() -> Self {
        Law::Etm(Etm::default())
    }
}

impl Law {
    /// Names of all laws, as in scene files and on the command line.
    pub const NAMES: [&str; 6] = ["sqm", "smm", "etm", "etm-weighted", "rbss", "rbss-linear"];

    /// The law called `name`, with the parameters of its paper; none for a name that no law has.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "sqm" => Law::Sqm(Sqm::default()),
            "smm" => Law::Smm(Smm::default()),
            "etm" => Law::Etm(Etm::default()),
            "etm-weighted" => Law::EtmWeighted(EtmWeighted::default()),
            "rbss" => Law::Rbss(Rbss::default()),
            "rbss-linear" => Law::RbssLinear(RbssLinear::default()),
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
        }
    }

    /// Whether the engine's step knows the law. The others resolve single problems so far.
    pub fn is_stepped_with(&self) -> bool {
        matches!(self, Law::Etm(_))
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// [`ProblemError::Parameter`] for the first that is out of its range.
    pub fn validate(&self) -> Result<(), ProblemError> {
        self.law().resolve(&ContactProblem::default()).map(|_| ())
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
