//! Some rows of a linear layer at a time: logits in panels of columns that fit into a core's cache,
//! what the loss needs of them, and the gradients.

use super::host::Targets;
use crate::product::{Matrix, MatrixMut, Output, product};
use crate::threads::{par_map, sum_of};
use crate::vector::{exp, fold, highest, vectorised};

/// Linear layer.
#[derive(Clone, Copy)]
pub(super) struct Layer<'a> {
    /// Input, `[rows, D]`.
    pub x: Matrix<'a>,
    /// Weight, `[D, V]`.
    pub weight: Matrix<'a>,
    /// Bias, `[V]`, or empty for none.
    pub bias: &'a [f32],
    pub targets: &'a Targets,
    /// Number of columns of a panel.
    pub columns: usize,
}

/// Some rows of a linear layer.
///
/// Logits lie in panels of columns, one after the other: `[V / columns, rows, columns]`. As soon as a
/// panel is measured, e^(x − highest) takes the place of each logit x, so that the backward pass needs
/// no other exponential.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    layer: Layer<'a>,
    x: Matrix<'a>,
    classes: &'a [u32],
    shares: &'a [f32],
}

/// Sums over rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub loss: f64,
    /// Loss without label smoothing.
    pub plain_loss: f64,
    /// Number of rows whose class has the highest logit.
    pub correct: f64,
}

impl Sums {
    pub fn add(&mut self, other: Self) {
        self.loss += other.loss;
        self.plain_loss += other.plain_loss;
        self.correct += other.correct;
    }
}

/// Gradients, summed up over blocks of rows.
pub(super) struct Gradients {
    /// Gradient of x, row after row; of the rows that are done.
    pub of_x: Vec<f32>,
    /// Gradient of the weight, a panel of columns after the other; see [`Layer::joined`]. In a panel
    /// lie rows, or columns if the weight [has those](Layer::has_columns).
    pub of_weight: Vec<f32>,
    /// Gradient of the bias; empty without a bias.
    pub of_bias: Vec<f32>,
}

impl Gradients {
    /// Prepares the gradients of a layer.
    pub fn new(layer: Layer<'_>) -> Self {
        let [d, v] = layer.weight.shape();
        Self {
            of_x: Vec::with_capacity(layer.x.height() * d),
            of_weight: vec![0.0; d * v],
            of_bias: vec![0.0; layer.bias.len()],
        }
    }
}

/// What is known of a row's logits in one panel.
#[derive(Clone, Copy, Debug)]
struct PanelRow {
    /// Highest logit.
    highest: f32,
    /// Σ e^(x − highest).
    exponentials: f32,
    /// Sum of the logits; 0 without label smoothing.
    sum: f32,
    /// Logit of the row's class; 0 if the class is in another panel.
    of_class: f32,
}

/// What is known of a row's logits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// First class with the highest logit.
    best: usize,
    /// Logarithm of Σ e^x.
    log_sum: f32,
    /// Sum of the logits; 0 without label smoothing.
    sum: f64,
    /// Logit of the row's class.
    of_class: f32,
}

/// What is known of the logits of a block, in each panel and of whole rows.
pub(super) struct Found {
    panels: Vec<Vec<PanelRow>>,
    pub rows: Vec<Row>,
}

impl<'a> Layer<'a> {
    /// Number of classes.
    fn classes(self) -> usize {
        self.weight.shape()[1]
    }

    /// True if the columns of the weight are contiguous, as those of a transposed embedding are.
    pub fn has_columns(self) -> bool {
        self.weight.steps()[0] == 1 && self.weight.steps()[1] != 1
    }

    /// Takes `count` rows from `first` on.
    pub fn rows(self, first: usize, count: usize) -> Block<'a> {
        Block {
            layer: self,
            x: self.x.rows(first, count),
            classes: &self.targets.classes[first..][..count],
            shares: &self.targets.shares[first..][..count],
        }
    }

    /// Joins the panels of the weight's gradient, `[D, V]`.
    pub fn joined(self, panels: &[f32]) -> Vec<f32> {
        let ([d, v], columns) = (self.weight.shape(), self.columns);
        let mut joined = vec![0.0; d * v];
        let rows = joined.chunks_mut(v.max(1)).enumerate();
        par_map(rows, |(row, place)| {
            let places = place.chunks_mut(columns);
            for (panel, place) in panels.chunks((d * columns).max(1)).zip(places) {
                let width = place.len();
                place.copy_from_slice(&panel[row * width..][..width]);
            }
        });
        joined
    }
}

impl Block<'_> {
    /// Number of rows.
    pub fn height(self) -> usize {
        self.x.height()
    }

    /// Number of panels that one job computes. The number of jobs does not depend on the threads.
    fn panels_of_a_job(self) -> usize {
        const JOBS: usize = 32;
        let panels = self.layer.classes().div_ceil(self.layer.columns);
        panels.div_ceil(JOBS).max(1)
    }

    /// Number of logits of one job, and of one panel.
    fn sizes(self) -> [usize; 2] {
        let panel = (self.x.height() * self.layer.columns).max(1);
        [panel * self.panels_of_a_job(), panel]
    }

    /// Writes e^(x − highest) for each logit x, where `highest` is the highest logit of the row in
    /// the panel. Returns what is known of the logits.
    pub fn compute(self, exponentials: &mut [f32]) -> Found {
        let ([job, panel], rows) = (self.sizes(), self.x.height());
        let columns = self.layer.columns;
        let jobs = exponentials.chunks_mut(job).enumerate();
        let parts = par_map(jobs, |(at, numbers)| {
            let mut copied = Vec::new();
            let panels = numbers.chunks_mut(panel).enumerate();
            let panels = panels.map(|(panel, numbers)| {
                let first = (at * self.panels_of_a_job() + panel) * columns;
                let width = numbers.len() / rows;
                let weight = self.layer.weight.columns(first, width);
                let weight = contiguous_rows(weight, &mut copied);
                let place = MatrixMut::new(numbers, width);
                product(place, Output::Overwrite, self.x, weight);
                self.measure_panel(first, numbers)
            });
            panels.collect::<Vec<_>>()
        });
        let panels: Vec<Vec<PanelRow>> = parts.into_iter().flatten().collect();
        let rows = (0..rows).map(|row| self.joined(row, &panels, exponentials));
        Found {
            rows: rows.collect(),
            panels,
        }
    }

    /// Adds the bias to the logits of the panel that begins with the class `first`, and replaces
    /// them by their exponentials.
    fn measure_panel(self, first: usize, logits: &mut [f32]) -> Vec<PanelRow> {
        let rows = self.x.height();
        let width = logits.len() / rows;
        let bias = self.layer.bias.get(first..first + width);
        let bias = bias.unwrap_or_default();
        let smooths = self.layer.targets.smoothing > 0.0;
        let mut found = Vec::with_capacity(rows);
        vectorised(
            #[inline(always)]
            || {
                for (row, &class) in logits.chunks_exact_mut(width).zip(self.classes) {
                    for (x, bias) in row.iter_mut().zip(bias) {
                        *x += bias;
                    }
                    let place = (class as usize).checked_sub(first);
                    let of_class = place.and_then(|place| row.get(place)).copied();
                    let add = |a: f32, b: f32| a + b;
                    let sum = if smooths { fold(row, 0.0, add) } else { 0.0 };
                    let highest = highest(row);
                    for x in row.iter_mut() {
                        *x = exp(*x - highest);
                    }
                    found.push(PanelRow {
                        highest,
                        exponentials: fold(row, 0.0, add),
                        sum,
                        of_class: of_class.unwrap_or(0.0),
                    });
                }
            },
        );
        found
    }

    /// Joins what is known of a row in each of its panels.
    fn joined(self, row: usize, panels: &[Vec<PanelRow>], exponentials: &[f32]) -> Row {
        let of_row = || panels.iter().map(|panel| panel[row]);
        let (mut best, mut highest) = (0, f32::NEG_INFINITY);
        for (panel, found) in of_row().enumerate() {
            if found.highest > highest {
                (best, highest) = (panel, found.highest);
            }
        }
        let first = best * self.layer.columns;
        let width = self.layer.columns.min(self.layer.classes() - first);
        let panel = &exponentials[first * self.x.height() + row * width..][..width];
        let place = panel.iter().position(|&x| x == 1.0).unwrap_or(0);
        let part = |found: PanelRow| f64::from(found.exponentials * exp(found.highest - highest));
        let class = self.classes[row] as usize / self.layer.columns;
        Row {
            best: first + place,
            log_sum: highest + of_row().map(part).sum::<f64>().ln() as f32,
            sum: of_row().map(|found| f64::from(found.sum)).sum(),
            of_class: panels[class][row].of_class,
        }
    }

    /// Sums the losses of the rows.
    pub fn sums(self, rows: &[Row]) -> Sums {
        let v = self.layer.classes() as f64;
        let smoothing = f64::from(self.layer.targets.smoothing);
        let mut sums = Sums::default();
        for ((row, &class), &share) in rows.iter().zip(self.classes).zip(self.shares) {
            if share == 0.0 {
                continue;
            }
            let log = f64::from(row.of_class - row.log_sum);
            let all = row.sum - v * f64::from(row.log_sum);
            let smoothed = match smoothing > 0.0 {
                true => (1.0 - smoothing) * log + smoothing / v * all,
                false => log,
            };
            sums.add(Sums {
                loss: f64::from(share) * smoothed,
                plain_loss: f64::from(share) * log,
                correct: f64::from(u8::from(row.best == class as usize)),
            });
        }
        sums
    }

    /// Replaces the exponentials by the gradients of the logits, share · (target − p), and adds the
    /// gradients of the layer. The target is ε/V, plus 1 − ε for the class.
    pub fn differentiate(self, exponentials: &mut [f32], found: &Found, gradients: &mut Gradients) {
        let ([job, panel], [height, d]) = (self.sizes(), self.x.shape());
        let (layer, columns) = (self.layer, self.layer.columns);
        let before = if gradients.of_x.is_empty() {
            Output::Overwrite
        } else {
            Output::Accumulate
        };
        let job_columns = columns * self.panels_of_a_job();
        let mut of_bias = gradients.of_bias.chunks_mut(job_columns);
        let jobs = exponentials
            .chunks_mut(job)
            .zip(gradients.of_weight.chunks_mut((job_columns * d).max(1)))
            .zip(found.panels.chunks(self.panels_of_a_job()))
            .enumerate()
            .map(|(at, ((numbers, of_weight), found))| {
                // Without a bias, each job gets no numbers.
                let of_bias = of_bias.next().unwrap_or_default();
                (at * job_columns, numbers, of_weight, of_bias, found)
            });
        let of_x = par_map(jobs, |(mut first, numbers, of_weight, of_bias, panels)| {
            let mut of_x = vec![0.0; height * d];
            let mut copied = Vec::new();
            let mut of_bias = of_bias.chunks_mut(columns);
            let parts = numbers
                .chunks_mut(panel)
                .zip(of_weight.chunks_mut((columns * d).max(1)));
            for ((numbers, of_weight), panel) in parts.zip(panels) {
                let width = numbers.len() / height;
                self.differentiate_panel(first, numbers, panel, &found.rows);
                let of_logits = Matrix::new(numbers, [height, width]);
                let weight = layer.weight.columns(first, width).transposed();
                let weight = contiguous_rows(weight, &mut copied);
                let place = MatrixMut::new(&mut of_x, d);
                product(place, Output::Accumulate, of_logits, weight);
                if layer.has_columns() {
                    let place = MatrixMut::new(of_weight, d);
                    product(place, before, of_logits.transposed(), self.x);
                } else {
                    let place = MatrixMut::new(of_weight, width);
                    product(place, before, self.x.transposed(), of_logits);
                }
                if let Some(of_bias) = of_bias.next() {
                    for (sum, x) in of_bias.iter_mut().zip(of_logits.column_sums()) {
                        *sum += x;
                    }
                }
                first += width;
            }
            of_x
        });
        gradients.of_x.extend(sum_of(of_x, height * d));
    }

    /// Replaces the exponentials of a panel by the gradients of its logits.
    fn differentiate_panel(
        self,
        first: usize,
        exponentials: &mut [f32],
        panel: &[PanelRow],
        rows: &[Row],
    ) {
        let smoothing = self.layer.targets.smoothing;
        let smooth = smoothing / self.layer.classes() as f32;
        let width = exponentials.len() / self.x.height();
        let of_rows = self.classes.iter().zip(self.shares).zip(panel).zip(rows);
        vectorised(
            #[inline(always)]
            || {
                let places = exponentials.chunks_exact_mut(width);
                for (place, (((&class, &share), panel), row)) in places.zip(of_rows) {
                    if share == 0.0 {
                        place.fill(0.0);
                        continue;
                    }
                    // e^(x − highest) times this is p = e^(x − log Σ e^x).
                    let factor = exp(panel.highest - row.log_sum);
                    for x in place.iter_mut() {
                        *x = share * (smooth - *x * factor);
                    }
                    let class = (class as usize).checked_sub(first);
                    if let Some(x) = class.and_then(|class| place.get_mut(class)) {
                        *x += share * (1.0 - smoothing);
                    }
                }
            },
        );
    }
}

/// Copies a matrix of contiguous columns to `copied`, row after row, unless rows are contiguous. A
/// product would rearrange the right matrix itself, slowly where columns are far apart.
fn contiguous_rows<'a>(matrix: Matrix<'a>, copied: &'a mut Vec<f32>) -> Matrix<'a> {
    if matrix.steps()[1] == 1 || matrix.steps()[0] != 1 {
        return matrix;
    }
    let shape = matrix.shape();
    copied.resize(shape[0] * shape[1], 0.0);
    matrix.transpose_into(copied);
    Matrix::new(copied, shape)
}
