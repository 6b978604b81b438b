//! Small drawings in SVG. Positions are numbers, never style attributes.

use maud::{Markup, html};

const WIDTH: f64 = 200.0;
const MARGIN: f64 = 6.0;

/// The horizontal position of a value on a scale.
fn x(value: f64, [low, high]: [f64; 2]) -> f64 {
    let share = ((value - low) / (high - low)).clamp(0.0, 1.0);
    MARGIN + share * (WIDTH - 2.0 * MARGIN)
}

/// A coordinate with one decimal: more would only make the file larger.
pub(super) fn at(position: f64) -> String {
    format!("{position:.1}")
}

/// A mean with its interval on a scale from 0 to 1.
pub(super) fn mean(mean: f64, interval: Option<[f64; 2]>, label: &str) -> Markup {
    let scale = [0.0, 1.0];
    html! {
        svg.plot viewBox="0 0 200 18" role="img" aria-label=(label) {
            title { (label) }
            line.track x1=(at(x(0.0, scale))) x2=(at(x(1.0, scale))) y1="9" y2="9" {}
            @for tick in [0.0, 0.5, 1.0] {
                line.tick x1=(at(x(tick, scale))) x2=(at(x(tick, scale))) y1="5" y2="13" {}
            }
            @if let Some([low, high]) = interval {
                rect.bar x=(at(x(low, scale))) width=(at(x(high, scale) - x(low, scale)))
                    y="5.5" height="7" rx="3.5" {}
            }
            circle.dot cx=(at(x(mean, scale))) cy="9" r="4.5" {}
        }
    }
}

/// A difference with its interval on a scale around 0; `shown` fills the dot.
pub(super) fn difference(
    difference: Option<f64>,
    interval: Option<[f64; 2]>,
    limit: f64,
    class: &str,
    shown: bool,
    label: &str,
) -> Markup {
    let scale = [-limit, limit];
    let zero = at(x(0.0, scale));
    html! {
        svg.plot.(class) viewBox="0 0 200 18" role="img" aria-label=(label) {
            title { (label) }
            line.track x1=(at(x(-limit, scale))) x2=(at(x(limit, scale))) y1="9" y2="9" {}
            line.zero x1=(zero) x2=(zero) y1="1" y2="17" {}
            @if let Some([low, high]) = interval {
                line.whisker x1=(at(x(low, scale))) x2=(at(x(high, scale))) y1="9" y2="9" {}
                @for end in [low, high] {
                    line.whisker x1=(at(x(end, scale))) x2=(at(x(end, scale))) y1="5" y2="13" {}
                }
            }
            @if let Some(difference) = difference {
                circle.dot.hollow[!shown] cx=(at(x(difference, scale))) cy="9" r="4.5" {}
            }
        }
    }
}
