//! Contacts: how far they are looked for, where they are, which of them take part, and how overlap is taken out.

pub(crate) mod closing;
pub(crate) mod correct;
pub(crate) mod crossing;
pub(crate) mod reach;
pub(crate) mod search;
pub(crate) mod turning;
