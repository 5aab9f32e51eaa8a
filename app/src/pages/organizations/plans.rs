//! The plans that an organization can choose from, and what they cost.

use leptos::prelude::*;

use crate::fns::billing::{Interval, Plan, Price, Subscription};
use crate::i18n::{BillingTexts, Locale, fill, locale, number};
use crate::pages::fields::layout_name;

/// The plans beside each other; the present one says so.
pub fn list(w: &BillingTexts, found: &Subscription) -> AnyView {
    let plans = found.plans.iter().map(|plan| {
        let is_present = plan.is_paid == found.state.is_charged();
        view! {
            <li class="plan" aria-current=is_present.then_some("true")>
                <h3>{if plan.is_paid { plan.name.clone() } else { w.plan_none.to_owned() }}</h3>
                {plan.is_paid.then(|| price(w, plan.price.as_ref()))}
                <ul class="muted">
                    <li>{layouts(w, plan)}</li>
                    <li>{if plan.has_note { w.plan_note } else { w.plan_no_note }}</li>
                </ul>
                {is_present.then(|| view! { <p class="small">{w.plan_present}</p> })}
            </li>
        }
    });
    view! { <ul class="plans" aria-label=w.plans>{plans.collect_view()}</ul> }.into_any()
}

fn layouts(w: &BillingTexts, plan: &Plan) -> String {
    let Some(layouts) = &plan.layouts else {
        return w.plan_layouts_all.to_owned();
    };
    let names: Vec<_> = layouts.iter().copied().map(layout_name).collect();
    fill(w.plan_layouts, &[("names", &names.join(", "))])
}

fn price(w: &BillingTexts, price: Option<&Price>) -> AnyView {
    let Some(price) = price else {
        return view! { <p>{w.price_elsewhere}</p> }.into_any();
    };
    let (one, many) = match price.interval {
        Interval::Day => (w.price_day, w.price_days),
        Interval::Week => (w.price_week, w.price_weeks),
        Interval::Month => (w.price_month, w.price_months),
        Interval::Year => (w.price_year, w.price_years),
    };
    let text = if price.count == 1 { one } else { many };
    let sum = amount(locale(), price.amount, Some(&price.currency));
    let text = fill(text, &[("amount", &sum), ("n", &number(price.count))]);
    let taxes = price.tax_included.map(|is_included| {
        let text = if is_included {
            w.tax_included
        } else {
            w.tax_added
        };
        view! { " " <span class="muted small">{text}</span> }
    });
    view! { <p><strong>{text}</strong> {taxes}</p> }.into_any()
}

/// Currencies without a smaller unit, and those with a thousandth (ISO 4217), as Stripe counts them.
const WHOLE: [&str; 15] = [
    "bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "vnd", "vuv", "xaf",
    "xof", "xpf",
];
const THOUSANDTHS: [&str; 5] = ["bhd", "jod", "kwd", "omr", "tnd"];

/// An amount in the smallest unit of its currency, in words: `49.00 EUR`.
pub fn amount(locale: Locale, total: i64, currency: Option<&str>) -> String {
    let currency = currency.unwrap_or_default();
    let digits = match currency {
        whole if WHOLE.contains(&whole) => 0,
        thousandths if THOUSANDTHS.contains(&thousandths) => 3,
        _ => 2,
    };
    let unit = 10_u64.pow(digits);
    let sign = if total < 0 { "-" } else { "" };
    let (whole, rest) = (total.unsigned_abs() / unit, total.unsigned_abs() % unit);
    let point = match locale {
        Locale::En => '.',
        Locale::Fr => ',',
    };
    let rest = match digits {
        0 => String::new(),
        digits => format!("{point}{rest:0width$}", width = digits as usize),
    };
    format!("{sign}{whole}{rest}\u{a0}{}", currency.to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_digits_of_their_currency() {
        for (total, currency, words) in [
            (4_900, "eur", "49.00\u{a0}EUR"),
            (5, "usd", "0.05\u{a0}USD"),
            (-1_250, "gbp", "-12.50\u{a0}GBP"),
            (4_900, "jpy", "4900\u{a0}JPY"),
            (4_905, "kwd", "4.905\u{a0}KWD"),
        ] {
            assert_eq!(amount(Locale::En, total, Some(currency)), words);
        }
        assert_eq!(amount(Locale::Fr, 4_900, Some("eur")), "49,00\u{a0}EUR");
    }
}
