//! Charts: drawn as SVG on the server, zero-based, with the same figures as a table below.

use leptos::prelude::*;

use super::time::{civil, short_day};
use crate::fns::projects::Day;
use crate::i18n::{number, percent, texts};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 40.0;
const BOTTOM: f64 = 24.0;

/// The round number at or above `max` that the axis ends with.
fn ceiling(max: u64) -> u64 {
    let mut step = 1;
    loop {
        for factor in [1, 2, 4, 6, 8] {
            if step * factor >= max.max(4) {
                return step * factor;
            }
        }
        step *= 10;
    }
}

/// Accepted, partial and refused per day, stacked.
pub fn daily_chart(days: Memo<Vec<Day>>) -> AnyView {
    let t = texts();
    view! {
        <div class="chart">
            <ul class="legend">
                <li><span class="key accepted"></span>{t.accepted}</li>
                <li><span class="key partial"></span>{t.partial}</li>
                <li><span class="key refused"></span>{t.refused}</li>
            </ul>
            // The table below says the same in words.
            {move || days.with(|days| bars(days))}
            <details>
                <summary>{t.as_table}</summary>
                <div class="table-scroll" tabindex="0" role="region" aria-label=t.as_table>
                    <table class="table">
                        <thead>
                            <tr>
                                <th scope="col">{t.day}</th>
                                {answer_heads()}
                            </tr>
                        </thead>
                        <tbody>{move || days.with(|days| rows(days))}</tbody>
                    </table>
                </div>
            </details>
        </div>
    }
    .into_any()
}

fn bars(days: &[Day]) -> AnyView {
    let t = texts();
    let top = ceiling(days.iter().map(Day::total).max().unwrap_or_default());
    let plot_height = HEIGHT - BOTTOM - 8.0;
    let slot = (WIDTH - LEFT) / days.len().max(1) as f64;
    let bar = (slot * 0.68).min(26.0);
    let y = |n: u64| 8.0 + plot_height * (1.0 - n as f64 / top as f64);

    let grid = [0, top / 2, top]
        .into_iter()
        .map(|n| {
            let at = y(n);
            view! {
                <line class="grid-line" x1=LEFT x2=WIDTH y1=at y2=at></line>
                <text class="tick" x=LEFT - 8.0 y=at + 4.0 text-anchor="end">{number(n)}</text>
            }
        })
        .collect_view();
    let bars = days
        .iter()
        .enumerate()
        .map(|(index, day)| {
            let x = LEFT + slot * index as f64;
            let left = x + (slot - bar) / 2.0;
            let mut base = 0;
            let parts = [
                ("accepted", day.accepted),
                ("partial", day.partial),
                ("refused", day.refused),
            ]
            .into_iter()
            .filter(|(_, n)| *n > 0)
            .map(|(class, n)| {
                let upper = y(base + n);
                let height = y(base) - upper;
                base += n;
                view! { <rect class=class x=left y=upper width=bar height=height></rect> }
            })
            .collect_view();
            let label = format!(
                "{}: {} {}, {} {}, {} {}",
                short_day(day.start),
                number(day.accepted),
                t.accepted,
                number(day.partial),
                t.partial,
                number(day.refused),
                t.refused
            );
            let tick = (index % 7 == days.len().saturating_sub(1) % 7).then(|| {
                view! {
                    <text class="tick" x=x + slot / 2.0 y=HEIGHT - 4.0 text-anchor="middle">
                        {short_day(day.start)}
                    </text>
                }
            });
            view! {
                <g class="bar">
                    <title>{label}</title>
                    <rect class="hit" x=x y=8.0 width=slot height=plot_height></rect>
                    {parts}
                    {tick}
                </g>
            }
            .into_any()
        })
        .collect_view();
    view! {
        <svg viewBox=format!("0 0 {WIDTH} {HEIGHT}") aria-hidden="true">
            {grid}
            {bars}
        </svg>
    }
    .into_any()
}

fn rows(days: &[Day]) -> AnyView {
    days.iter()
        .rev()
        .map(|day| {
            view! {
                <tr>
                    <td>{short_day(day.start)}</td>
                    {answer_cells(*day)}
                </tr>
            }
            .into_any()
        })
        .collect_view()
        .into_any()
}

/// The heads of columns with answers by outcome, and the share that was accepted.
pub fn answer_heads() -> AnyView {
    let t = texts();
    view! {
        <th scope="col" class="number">{t.accepted}</th>
        <th scope="col" class="number">{t.partial}</th>
        <th scope="col" class="number">{t.refused}</th>
        <th scope="col" class="number">{t.accept_rate}</th>
    }
    .into_any()
}

/// The cells below these heads.
pub fn answer_cells(answers: Day) -> AnyView {
    view! {
        <td class="number">{number(answers.accepted)}</td>
        <td class="number">{number(answers.partial)}</td>
        <td class="number">{number(answers.refused)}</td>
        <td class="number">{percent(answers.accepted, answers.total())}</td>
    }
    .into_any()
}

/// Address of a file with the figures of days.
pub fn csv(days: &[Day]) -> String {
    let rows = days.iter().map(|day| {
        let date = civil(day.start);
        format!(
            "{:04}-{:02}-{:02},{},{},{}%0D%0A",
            date.year, date.month, date.day, day.accepted, day.partial, day.refused
        )
    });
    let rows: String = rows.collect();
    format!("data:text/csv;charset=utf-8,day,accepted,partial,refused%0D%0A{rows}")
}

/// A line without axes that shows how the total went; the figure stands beside it in words.
pub fn spark(days: &[Day]) -> AnyView {
    let top = days.iter().map(Day::total).max().unwrap_or_default().max(1) as f64;
    let step = 120.0 / days.len().saturating_sub(1).max(1) as f64;
    let points: Vec<String> = days
        .iter()
        .enumerate()
        .map(|(index, day)| {
            format!(
                "{:.1},{:.1}",
                step * index as f64,
                33.0 - 30.0 * day.total() as f64 / top
            )
        })
        .collect();
    view! {
        <svg class="spark" viewBox="0 0 120 36" fill="none" aria-hidden="true">
            <polyline
                points=points.join(" ")
                stroke="currentColor"
                stroke-width="2"
                stroke-linecap="round"
                stroke-linejoin="round"
            ></polyline>
        </svg>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_a_line_for_each_day() {
        let day = Day {
            start: 1_763_683_200_000,
            accepted: 3,
            partial: 0,
            refused: 1,
        };
        assert_eq!(
            csv(&[day]),
            "data:text/csv;charset=utf-8,day,accepted,partial,refused%0D%0A2025-11-21,3,0,1%0D%0A"
        );
    }

    #[test]
    fn the_axis_ends_on_a_round_number_that_halves() {
        assert_eq!(ceiling(0), 4);
        assert_eq!(ceiling(7), 8);
        assert_eq!(ceiling(101), 200);
        assert_eq!(ceiling(5_300), 6_000);
        for max in 0..5_000 {
            assert!(ceiling(max) >= max && ceiling(max).is_multiple_of(2));
        }
    }
}
