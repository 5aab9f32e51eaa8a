//! A visitor's choices: what is decided, and what the open widget shows before it is.

use core::cell::Cell;

use domain::payload::Vendor;

use crate::{dom::Js, names};

/// A vendor and its answer.
pub struct Answer {
    pub vendor: Vendor<'static>,
    /// The vendor's name, for the JavaScript side.
    pub name: Js,
    decided: Cell<bool>,
    draft: Cell<bool>,
}

impl Answer {
    /// No, of the vendor at a place in the payload.
    pub fn new((place, vendor): (usize, Vendor<'static>)) -> Self {
        Self {
            vendor,
            name: names::vendor(place),
            decided: Cell::new(false),
            draft: Cell::new(false),
        }
    }

    /// True if the vendor is allowed.
    pub fn allows(&self) -> bool {
        self.decided.get()
    }

    /// True if the vendor's switch is on.
    pub fn shows(&self) -> bool {
        self.draft.get()
    }

    /// Moves the switch.
    pub fn switch(&self, on: bool) {
        self.draft.set(on);
    }

    /// Takes over a stored answer.
    pub fn restore(&self, on: bool) {
        self.decided.set(on);
    }
}

/// The switches show what is in force.
pub fn reset(answers: &[Answer]) {
    for answer in answers {
        answer.draft.set(answer.decided.get());
    }
}

/// Puts into force what the switches show.
pub fn decide(answers: &[Answer]) {
    for answer in answers {
        answer.decided.set(answer.draft.get());
    }
}

/// True if every vendor is allowed.
pub fn all(answers: &[Answer]) -> bool {
    answers.iter().all(Answer::allows)
}

/// `aria-checked` of the switch that stands for the vendors of a step.
#[inline(never)]
pub fn of_step(answers: &[Answer], step: usize) -> Js {
    let (mut on, mut off) = (false, false);
    for answer in answers {
        if answer.vendor.step == step {
            on |= answer.shows();
            off |= !answer.shows();
        }
    }
    if on && off { names::MIXED } else { word(on) }
}

/// `aria-checked` of a switch.
pub fn word(on: bool) -> Js {
    if on { names::TRUE } else { names::FALSE }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "1\tp\ti\tn\ten\t1\t\n\t\nx|1|a|X\ty|1|n|Y\tz|2||Z\n";

    fn answers() -> Vec<Answer> {
        let vendors = domain::payload::Payload::read(TEXT).unwrap().vendors();
        vendors.enumerate().map(Answer::new).collect()
    }

    #[test]
    fn nothing_is_in_force_before_it_is_decided() {
        let answers = answers();
        answers[0].switch(true);
        assert!(answers[0].shows() && !answers[0].allows());
        reset(&answers);
        assert!(!answers[0].shows());
        answers[2].switch(true);
        decide(&answers);
        assert!(answers[2].allows() && !answers[0].allows() && !all(&answers));
    }

    #[test]
    fn a_step_switch_is_mixed_until_its_vendors_agree() {
        let answers = answers();
        let of = |step| of_step(&answers, step);
        assert!(of(1) == names::FALSE);
        answers[0].switch(true);
        assert!(of(1) == names::MIXED);
        answers[1].switch(true);
        assert!(of(1) == names::TRUE && of(2) == names::FALSE);
    }
}
