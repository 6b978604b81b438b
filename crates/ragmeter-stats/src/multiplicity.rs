/// P-values adjusted for being looked at together, in the order given.
///
/// Holm's step-down procedure (S. Holm, "A simple sequentially rejective multiple test procedure",
/// Scandinavian Journal of Statistics 6, 1979): the smallest p is multiplied by the number of
/// tests, the next by one less, and so on; an adjusted p is never below an earlier one and never
/// above 1. Rejecting where the adjusted p is below .05 keeps the chance of any false rejection
/// below .05, however the tests depend on each other.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&left, &right| p[left].total_cmp(&p[right]));
    let mut adjusted = vec![0.0; p.len()];
    let mut floor: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        let tests_left = (p.len() - rank) as f64;
        floor = floor.max((tests_left * p[index]).min(1.0));
        adjusted[index] = floor;
    }
    adjusted
}
