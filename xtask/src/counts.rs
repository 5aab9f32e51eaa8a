//! Numbers of passed and failed tests, and the names of the failed ones, parsed from the output of test
//! runners.

use std::ops::AddAssign;

use serde_json::Value;

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
        let report: Value = serde_json::from_str(report).ok()?;
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

/// Result of a suite, of a piece of it or of several.
#[derive(Debug, Default)]
pub struct Outcome {
    pub counts: Counts,
    /// The failed and flaky tests and checks.
    pub named: Vec<String>,
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, other: Self) {
        self.counts += other.counts;
        self.named.extend(other.named);
    }
}

impl Outcome {
    /// The result of a check that has no number of its own.
    pub fn of_check(name: &str, passed: bool) -> Self {
        let named = if passed {
            Vec::new()
        } else {
            vec![name.to_owned()]
        };
        Self {
            counts: Counts::one(passed),
            named,
        }
    }

    /// The result of a runner. One that fails without a failed test (a broken build, a crash) counts as one
    /// failure.
    pub fn of_runner(succeeded: bool, counts: Option<Counts>, named: Vec<String>) -> Self {
        let mut counts = counts.unwrap_or_default();
        if !succeeded && counts.failed == 0 {
            counts.failed = 1;
        }
        Self { counts, named }
    }
}

/// The lines about failed and flaky tests that nextest prints after its summary, beside those about slow ones.
pub fn named_by_nextest(output: &str) -> Vec<String> {
    output
        .lines()
        .skip_while(|line| !line.trim_start().starts_with("Summary ["))
        .skip(1)
        .map(str::trim)
        .filter(|line| {
            let others = ["error:", "SLOW", "PASS"];
            !line.is_empty() && !others.iter().any(|other| line.starts_with(other))
        })
        .map(str::to_owned)
        .collect()
}

/// The failed and flaky tests in Playwright's JSON report, with file and line, and the reason of the first
/// failure.
pub fn named_by_playwright(report: &str) -> Vec<String> {
    let mut names = Vec::new();
    if let Ok(report) = serde_json::from_str::<Value>(report) {
        name_tests(&report, &mut names);
    }
    names
}

fn name_tests(suite: &Value, names: &mut Vec<String>) {
    let list = |of: &Value, name| of.get(name).and_then(Value::as_array).cloned();
    for spec in list(suite, "specs").unwrap_or_default() {
        for test in list(&spec, "tests").unwrap_or_default() {
            let text = |name| spec.get(name).and_then(Value::as_str).unwrap_or_default();
            let line = spec.get("line").and_then(Value::as_u64).unwrap_or_default();
            if let Some(status @ ("unexpected" | "flaky")) =
                test.get("status").and_then(Value::as_str)
            {
                let (file, title) = (text("file"), text("title"));
                let reason = first_failure(&test).unwrap_or_default();
                names.push(format!("{status} {file}:{line} {title}{reason}"));
            }
        }
    }
    for inner in list(suite, "suites").unwrap_or_default() {
        name_tests(&inner, names);
    }
}

/// The line of the test file and the message before its log of calls, in one line without colours.
fn first_failure(test: &Value) -> Option<String> {
    let results = test.get("results")?.as_array()?;
    let error = results.iter().find_map(|result| result.get("error"))?;
    let line = error
        .pointer("/location/line")
        .and_then(Value::as_u64)
        .map(|line| format!(" (line {line})"))
        .unwrap_or_default();
    let message = anstream::adapter::strip_str(error.get("message")?.as_str()?).to_string();
    let said: Vec<&str> = message
        .lines()
        .map(str::trim)
        .take_while(|line| *line != "Call log:")
        .filter(|line| !line.is_empty())
        .take(6)
        .collect();
    Some(format!("{line}: {}", said.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_tests_are_named() {
        let output = "PASS a\n     Summary [   0.1s] 2 tests run: 1 passed, 1 failed\n        SLOW [  40.2s] tests::api roles::all\n        FAIL [   0.1s] tests::api jobs::waits\nerror: test run failed\n";
        assert_eq!(
            named_by_nextest(output),
            ["FAIL [   0.1s] tests::api jobs::waits"]
        );
        let report = r#"{"suites":[{"specs":[],"suites":[{"specs":[
            {"file":"a.spec.ts","line":3,"title":"shows","tests":[
                {"status":"unexpected","results":[{"error":{"message":"\u001b[31mno banner\u001b[39m\nCall log:\n - waiting","location":{"line":5}}}]}]},
            {"file":"a.spec.ts","line":9,"title":"hides","tests":[{"status":"expected"}]}]}]}]}"#;
        assert_eq!(
            named_by_playwright(report),
            ["unexpected a.spec.ts:3 shows (line 5): no banner"]
        );
    }

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
