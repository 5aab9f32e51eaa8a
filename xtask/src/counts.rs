//! Numbers of passed and failed tests, parsed from the output of test runners.

use std::ops::AddAssign;

/// Numbers of tests by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: u32,
    pub failed: u32,
    pub skipped: u32,
    /// The passed tests that failed at first. The test or its subject is broken.
    pub flaky: u32,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.flaky += other.flaky;
    }
}

impl Counts {
    /// The count of a check that has no number of its own.
    pub fn one(passed: bool) -> Self {
        Self {
            passed: passed.into(),
            failed: (!passed).into(),
            ..Self::default()
        }
    }

    /// Reads `Summary [ 1.0s] 3 tests run: 2 passed (1 slow, 1 flaky), 1 failed, 4 skipped`.
    pub fn of_nextest(output: &str) -> Option<Self> {
        let summary = output
            .lines()
            .rfind(|line| line.trim_start().starts_with("Summary ["))?;
        let (_, list) = summary.split_once("run:")?;
        Some(Self::of_list(list.split([',', '('])))
    }

    /// Sums the lines `test result: ok. 2 passed; 1 failed; 0 ignored; …` of `cargo test`.
    pub fn of_cargo_test(output: &str) -> Option<Self> {
        let mut sum = None;
        for line in output.lines() {
            let Some((_, list)) = line
                .strip_prefix("test result: ")
                .and_then(|line| line.split_once(". "))
            else {
                continue;
            };
            *sum.get_or_insert_with(Self::default) += Self::of_list(list.split(';'));
        }
        sum
    }

    fn of_list<'a>(list: impl Iterator<Item = &'a str>) -> Self {
        let mut counts = Self::default();
        for entry in list {
            let mut words = entry.split_whitespace();
            let (Some(Ok(number)), Some(what)) =
                (words.next().map(str::parse::<u32>), words.next())
            else {
                continue;
            };
            match what.trim_end_matches(')') {
                "passed" => counts.passed += number,
                // Tests that hang, leak or crash count as failed.
                "failed" | "timed" | "exec" => counts.failed += number,
                "skipped" | "ignored" => counts.skipped += number,
                "flaky" => counts.flaky += number,
                _ => {}
            }
        }
        counts
    }

    /// Reads the statistics of Playwright's JSON report.
    pub fn of_playwright(report: &str) -> Option<Self> {
        let report: serde_json::Value = serde_json::from_str(report).ok()?;
        let stats = report.get("stats")?;
        let number = |name| stats.get(name)?.as_u64()?.try_into().ok();
        let errors = report.get("errors")?.as_array()?.len() as u32;
        let flaky: u32 = number("flaky")?;
        Some(Self {
            passed: number("expected")? + flaky,
            failed: number("unexpected")? + errors,
            skipped: number("skipped")?,
            flaky,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nextest_is_understood() {
        let output = "PASS a\n     Summary [   0.123s] 7 tests run: 4 passed (1 slow, 2 flaky), 1 failed, 2 timed out, 5 skipped\nFAIL b";
        assert_eq!(
            Counts::of_nextest(output),
            Some(Counts {
                passed: 4,
                failed: 3,
                skipped: 5,
                flaky: 2,
            })
        );
        assert_eq!(Counts::of_nextest("error: could not compile"), None);
    }

    #[test]
    fn cargo_test_is_understood() {
        let output = "test a ... ok\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
                      test result: FAILED. 1 passed; 3 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0.00s\n";
        assert_eq!(
            Counts::of_cargo_test(output),
            Some(Counts {
                passed: 3,
                failed: 3,
                skipped: 1,
                flaky: 0,
            })
        );
        assert_eq!(Counts::of_cargo_test("error: could not compile"), None);
    }

    #[test]
    fn playwright_is_understood() {
        let report = r#"{"errors":[],"stats":{"expected":3,"unexpected":1,"flaky":1,"skipped":2}}"#;
        assert_eq!(
            Counts::of_playwright(report),
            Some(Counts {
                passed: 4,
                failed: 1,
                skipped: 2,
                flaky: 1,
            })
        );
    }
}
