//! From stretches of text to lines in reading order: columns one after the other, table rows whole.

use crate::pdf::layout::Line;

/// Narrowest gap between columns, in ems.
const GUTTER: f64 = 1.0;
/// Fewest lines of a column.
const COLUMN_LINES: usize = 3;
/// Characters that a line of a column has on average; cells of tables have fewer.
const COLUMN_CHARS: f64 = 18.0;
/// How far the lines of a column fill it on average; cells of tables fill theirs less.
const COLUMN_FILL: f64 = 0.65;
/// A gap that parts the cells of a table row, in ems.
const CELL_GAP: f64 = 1.5;
/// Columns within columns.
const DEEPEST: usize = 6;
/// Rows looked ahead for the end of columns.
const AHEAD: usize = 300;

/// Stretches on one height, from left to right.
type Row = Vec<Line>;

/// The lines in reading order.
pub(crate) fn in_order(stretches: Vec<Line>) -> Vec<Line> {
    let mut lines = Vec::new();
    order(stretches, 0, &mut lines);
    lines
}

fn order(stretches: Vec<Line>, depth: usize, out: &mut Vec<Line>) {
    let rows = rows(stretches);
    let mut single: Vec<Row> = Vec::new();
    let mut start = 0;
    while start < rows.len() {
        match columns(&rows[start..]).filter(|_| depth < DEEPEST) {
            Some((count, border)) => {
                flow(&std::mem::take(&mut single), out);
                let band = rows[start..start + count].iter().flatten().cloned();
                let (left, right): (Vec<Line>, Vec<Line>) = band.partition(|s| s.left < border);
                order(left, depth + 1, out);
                order(right, depth + 1, out);
                start += count;
            }
            None => {
                single.push(rows[start].clone());
                start += 1;
            }
        }
    }
    flow(&single, out);
}

/// Groups stretches by height. Raised and lowered marks belong to the line that they overlap.
fn rows(mut stretches: Vec<Line>) -> Vec<Row> {
    stretches.sort_by(|a, b| a.base.total_cmp(&b.base).then(a.left.total_cmp(&b.left)));
    let mut rows: Vec<Row> = Vec::new();
    for stretch in stretches {
        // The last rows only: heights are in order.
        let home = rows.iter_mut().rev().take(3).find(|row| {
            row.iter().all(|other| overlap(other, &stretch) > 0.5)
                && row
                    .iter()
                    .all(|o| o.right <= stretch.left + 1.0 || stretch.right <= o.left + 1.0)
        });
        match home {
            Some(row) => row.push(stretch),
            None => rows.push(vec![stretch]),
        }
    }
    for row in &mut rows {
        row.sort_by(|a, b| a.left.total_cmp(&b.left));
    }
    rows
}

/// Share of the smaller one's height that two stretches have in common.
fn overlap(a: &Line, b: &Line) -> f64 {
    let span = |line: &Line| (line.base - 0.7 * line.size, line.base + 0.2 * line.size);
    let ((top_a, low_a), (top_b, low_b)) = (span(a), span(b));
    let common = low_a.min(low_b) - top_a.max(top_b);
    common / (0.9 * a.size.min(b.size))
}

/// How many of the rows stand in two columns, and where the border is; none if the first ones don't.
fn columns(rows: &[Row]) -> Option<(usize, f64)> {
    let mut covered: Vec<(f64, f64)> = Vec::new();
    let mut found = None;
    for (index, row) in rows.iter().take(AHEAD).enumerate() {
        for stretch in row {
            cover(&mut covered, stretch.left, stretch.right);
        }
        let size = row.iter().map(|stretch| stretch.size).fold(0.0, f64::max);
        let widest = covered
            .windows(2)
            .map(|pair| (pair[1].0 - pair[0].1, f64::midpoint(pair[1].0, pair[0].1)))
            .filter(|(gap, _)| *gap >= GUTTER * size)
            .max_by(|a, b| a.0.total_cmp(&b.0));
        match widest {
            Some((_, border)) if is_prose(&rows[..=index], border) => {
                found = Some((index + 1, border));
            }
            // A line across what was a gutter ends the columns.
            None if covered.len() == 1 && index >= COLUMN_LINES => break,
            Some(_) | None => {}
        }
    }
    found
}

/// Adds an interval to disjoint sorted ones.
fn cover(covered: &mut Vec<(f64, f64)>, left: f64, right: f64) {
    let (mut left, mut right) = (left, right);
    covered.retain(|(l, r)| {
        let apart = *r < left || *l > right;
        if !apart {
            left = left.min(*l);
            right = right.max(*r);
        }
        apart
    });
    let at = covered.partition_point(|(l, _)| *l < left);
    covered.insert(at, (left, right));
}

/// Whether both sides of the border hold running text, not cells.
fn is_prose(rows: &[Row], border: f64) -> bool {
    [true, false].into_iter().all(|left_side| {
        let sides: Vec<(f64, f64, usize)> = rows
            .iter()
            .filter_map(|row| {
                let mut side = row.iter().filter(|s| (s.left < border) == left_side).peekable();
                side.peek()?;
                Some(side.fold((f64::INFINITY, f64::NEG_INFINITY, 0), |(l, r, chars), s| {
                    (l.min(s.left), r.max(s.right), chars + s.text.chars().count())
                }))
            })
            .collect();
        if sides.len() < COLUMN_LINES {
            return false;
        }
        let left = sides.iter().map(|side| side.0).fold(f64::INFINITY, f64::min);
        let right = sides.iter().map(|side| side.1).fold(f64::NEG_INFINITY, f64::max);
        let count = sides.len() as f64;
        let fill = sides.iter().map(|side| side.1 - side.0).sum::<f64>() / count / (right - left);
        let chars = sides.iter().map(|side| side.2).sum::<usize>() as f64 / count;
        fill >= COLUMN_FILL && chars >= COLUMN_CHARS
    })
}

/// Rows from top to bottom as lines. Where neighbouring rows have cells at the same places, cells
/// are parted by bars.
fn flow(rows: &[Row], out: &mut Vec<Line>) {
    let starts: Vec<Vec<f64>> = rows.iter().map(cell_starts).collect();
    for (index, row) in rows.iter().enumerate() {
        let near = |other: Option<&Vec<f64>>| {
            other.is_some_and(|other| {
                let size = row.first().map_or(0.0, |stretch| stretch.size);
                starts[index].iter().any(|x| other.iter().any(|y| (x - y).abs() < size))
            })
        };
        let table =
            near(index.checked_sub(1).and_then(|i| starts.get(i))) || near(starts.get(index + 1));
        if let Some(line) = joined(row, table) {
            out.push(line);
        }
    }
}

/// Where the cells of a row begin, but for the first.
fn cell_starts(row: &Row) -> Vec<f64> {
    let pairs = row.windows(2);
    pairs
        .filter(|pair| pair[1].left - pair[0].right > CELL_GAP * pair[0].size)
        .map(|pair| pair[1].left)
        .collect()
}

fn joined(row: &Row, table: bool) -> Option<Line> {
    let mut line = row.first()?.clone();
    for stretch in &row[1..] {
        let gap = stretch.left - line.right;
        let size = line.size.max(stretch.size);
        let apart = match gap {
            _ if table && gap > CELL_GAP * size => " | ",
            _ if gap > 0.17 * size => " ",
            _ => "",
        };
        let text = line.text.trim_end().to_owned() + apart + stretch.text.trim_start();
        line = Line { right: stretch.right, size, text, ..line };
    }
    line.text = line.text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.text.is_empty()).then_some(line)
}
