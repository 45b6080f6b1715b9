//! One golden file: its tensors, and the comparison with our results.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use burn::module::Param;
use burn::tensor::{Device, Gradients, Tensor, TensorData};
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;

/// Tolerances (absolute, relative) of outputs; `GRADIENT` has those of gradients.
const OUTPUT: (f32, f32) = (2e-5, 1e-4);
const GRADIENT: (f32, f32) = (1e-4, 1e-3);

/// A golden file.
pub struct Case {
    pub name: String,
    pub mechanism: String,
    pub config: Value,
    pub device: Device,
    floats: BTreeMap<String, (Vec<f32>, Vec<usize>)>,
    integers: BTreeMap<String, (Vec<u32>, Vec<usize>)>,
    /// Inputs and parameters that were used, whose gradients are compared.
    leaves: RefCell<BTreeMap<String, Leaf>>,
}

/// A tensor of any rank that tracks its gradient.
#[derive(Clone)]
enum Leaf {
    Rank1(Tensor<1>),
    Rank2(Tensor<2>),
    Rank3(Tensor<3>),
}

/// Tensors of every rank that golden files contain.
pub trait Tracked: Clone {
    fn of(self) -> LeafBox;
    fn from(leaf: &LeafBox) -> Option<Self>;
}

/// A leaf, wrapped in a public type for the trait.
pub struct LeafBox(Leaf);

macro_rules! tracked {
    ($($rank:literal $variant:ident),*) => {$(
        impl Tracked for Tensor<$rank> {
            fn of(self) -> LeafBox {
                LeafBox(Leaf::$variant(self))
            }
            fn from(leaf: &LeafBox) -> Option<Self> {
                match &leaf.0 {
                    Leaf::$variant(tensor) => Some(tensor.clone()),
                    _ => None,
                }
            }
        }
    )*};
}
tracked!(1 Rank1, 2 Rank2, 3 Rank3);

impl Leaf {
    fn gradient(&self, gradients: &Gradients) -> Option<TensorData> {
        match self {
            Self::Rank1(tensor) => tensor.grad(gradients).map(Tensor::into_data),
            Self::Rank2(tensor) => tensor.grad(gradients).map(Tensor::into_data),
            Self::Rank3(tensor) => tensor.grad(gradients).map(Tensor::into_data),
        }
    }
}

/// A computed output.
struct Output {
    data: Vec<f32>,
    shape: Vec<usize>,
    /// Axis of the queries, and which of their rows are not compared, `[B, T]`.
    hidden_rows: Option<(usize, Vec<bool>)>,
    /// sum(output · cotangent) of this output.
    weighted: Box<dyn Fn(TensorData) -> Tensor<1>>,
}

/// Computed outputs, by name.
#[derive(Default)]
pub struct Outputs(BTreeMap<String, Output>);

impl Outputs {
    /// Adds an output. `rows`: the axis of the queries, and which of their rows are padding.
    pub fn with<const D: usize>(
        mut self,
        name: &str,
        tensor: Tensor<D>,
        rows: Option<(usize, Vec<bool>)>,
    ) -> Self {
        let output = Output {
            data: tensor.to_data().try_to_vec::<f32>().unwrap(),
            shape: tensor.dims().to_vec(),
            hidden_rows: rows,
            weighted: Box::new(move |cotangent| {
                let cotangent = Tensor::<D>::from_data(cotangent, &tensor.device());
                (tensor.clone() * cotangent).sum()
            }),
        };
        self.0.insert(name.to_owned(), output);
        self
    }
}

impl Case {
    pub fn read(path: &Path, device: &Device) -> Self {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(path).unwrap();
        let (_, header) =
            SafeTensors::read_metadata(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let metadata = header
            .metadata()
            .as_ref()
            .expect("a golden file has metadata");
        let file = SafeTensors::deserialize(&bytes).unwrap();
        let (mut floats, mut integers) = (BTreeMap::new(), BTreeMap::new());
        for (key, view) in file.tensors() {
            let shape = view.shape().to_vec();
            let bytes = view.data();
            match view.dtype() {
                Dtype::F32 => {
                    let read = |b: &[u8]| f32::from_le_bytes(b.try_into().unwrap());
                    floats.insert(key, (bytes.chunks(4).map(read).collect(), shape));
                }
                Dtype::I64 => {
                    let read = |b: &[u8]| i64::from_le_bytes(b.try_into().unwrap()) as u32;
                    integers.insert(key, (bytes.chunks(8).map(read).collect(), shape));
                }
                Dtype::U8 => {
                    integers.insert(key, (bytes.iter().map(|&b| u32::from(b)).collect(), shape));
                }
                other => panic!("{name}: {key} is {other:?}"),
            }
        }
        Self {
            mechanism: metadata["mechanism"].clone(),
            config: serde_json::from_str(&metadata["config"]).unwrap(),
            name,
            device: device.clone(),
            floats,
            integers,
            leaves: RefCell::default(),
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.floats.contains_key(name) || self.integers.contains_key(name)
    }

    pub fn text(&self, key: &str) -> &str {
        text(&self.config, key)
    }

    pub fn number(&self, key: &str) -> usize {
        number(&self.config, key)
    }

    /// Returns a tracked tensor; every call returns the same one.
    pub fn float<const D: usize>(&self, name: &str) -> Tensor<D>
    where
        Tensor<D>: Tracked,
    {
        let mut leaves = self.leaves.borrow_mut();
        if let Some(leaf) = leaves.get(name) {
            return Tracked::from(&LeafBox(leaf.clone())).expect("a tensor has one rank");
        }
        let (values, shape) = self
            .floats
            .get(name)
            .unwrap_or_else(|| panic!("{}: no {name}", self.name));
        let data = TensorData::new(values.clone(), shape.clone());
        let tensor = Tensor::<D>::from_data(data, &self.device).require_grad();
        leaves.insert(name.to_owned(), tensor.clone().of().0);
        tensor
    }

    pub fn dims(&self, name: &str) -> &[usize] {
        match self.floats.get(name) {
            Some((_, shape)) => shape,
            None => &self.integers[name].1,
        }
    }

    /// Returns the parameter `param.<name>`.
    pub fn param<const D: usize>(&self, name: &str) -> Param<Tensor<D>>
    where
        Tensor<D>: Tracked,
    {
        Param::from_tensor(self.float(&format!("param.{name}")))
    }

    /// Returns integers with one axis.
    pub fn vector(&self, name: &str) -> Vec<u32> {
        let (values, shape) = &self.integers[name];
        assert_eq!(shape.len(), 1, "{}: {name} has one axis", self.name);
        values.clone()
    }

    pub fn integers(&self, name: &str) -> (Vec<u32>, [usize; 2]) {
        let (values, shape) = &self.integers[name];
        (values.clone(), shape.as_slice().try_into().unwrap())
    }

    /// Returns integers of any shape.
    pub fn ids(&self, name: &str) -> (Vec<u32>, Vec<usize>) {
        self.integers[name].clone()
    }

    /// Returns `[B, S]`, true for padding; all false if the file has none.
    pub fn padding(&self, batch: usize, positions: usize) -> Vec<bool> {
        self.flags("input.padding")
            .unwrap_or_else(|| vec![false; batch * positions])
    }

    /// Compares `output.level_i.padding` with the nodes that we have, `[B, n]`.
    pub fn compare_padding(&self, level: usize, present: Tensor<2>) {
        let absent: Vec<bool> = present
            .into_data()
            .iter::<f32>()
            .map(|it| it == 0.0)
            .collect();
        let expected = self.flags(&format!("output.level_{level}.padding"));
        let expected = expected.unwrap_or_else(|| vec![false; absent.len()]);
        assert_eq!(absent, expected, "{}: nodes of level {level}", self.name);
    }

    /// Returns the axis of the queries, and which of their rows are not compared.
    pub fn query_rows(&self, axis: usize) -> Option<(usize, Vec<bool>)> {
        Some((axis, self.flags("input.query_padding")?))
    }

    /// Returns the flags of a mask, row by row; `None` if the file has none.
    pub fn flags(&self, name: &str) -> Option<Vec<bool>> {
        let (values, _) = self.integers.get(name)?;
        Some(values.iter().map(|&flag| flag != 0).collect())
    }

    /// Compares all outputs and gradients of the file with ours.
    pub fn compare(&self, outputs: &Outputs) -> Result<(), String> {
        let mut differences = Vec::new();
        let of = |prefix: &str| -> Vec<&String> {
            self.floats
                .keys()
                .filter(|key| key.starts_with(prefix))
                .collect()
        };
        for key in of("output.") {
            match outputs.0.get(&key["output.".len()..]) {
                None => differences.push(format!("{key} is not computed")),
                Some(output) => {
                    let (expected, shape) = &self.floats[key];
                    if shape != &output.shape {
                        differences.push(format!("{key}: {:?}, not {shape:?}", output.shape));
                        continue;
                    }
                    let kept = |at: usize| output.compares(at);
                    differences.extend(difference(key, &output.data, expected, OUTPUT, kept));
                }
            }
        }
        let gradients = self.backward(outputs);
        for key in of("grad.") {
            let (expected, _) = &self.floats[key];
            let leaf = self
                .leaves
                .borrow()
                .get(&key.replacen("grad.", "input.", 1))
                .cloned();
            let leaf = leaf.or_else(|| {
                self.leaves
                    .borrow()
                    .get(&key.replacen("grad.", "param.", 1))
                    .cloned()
            });
            let Some(leaf) = leaf else {
                differences.push(format!("{key}: nothing of that name was used"));
                continue;
            };
            let ours = gradients
                .as_ref()
                .and_then(|gradients| leaf.gradient(gradients))
                .map_or_else(
                    || vec![0.0; expected.len()],
                    |data| data.try_to_vec::<f32>().unwrap(),
                );
            differences.extend(difference(key, &ours, expected, GRADIENT, |_| true));
        }
        if differences.is_empty() {
            Ok(())
        } else {
            Err(differences.join("; "))
        }
    }

    fn backward(&self, outputs: &Outputs) -> Option<Gradients> {
        let main = format!("output.{}", self.text("main"));
        self.floats
            .keys()
            .filter_map(|key| {
                let output = match key.strip_prefix("cotangent") {
                    Some("") => main.strip_prefix("output.")?,
                    Some(name) => name.strip_prefix('.')?,
                    None => return None,
                };
                let (values, shape) = &self.floats[key];
                let output = outputs.0.get(output)?;
                Some((output.weighted)(TensorData::new(
                    values.clone(),
                    shape.clone(),
                )))
            })
            .reduce(|sum, term| sum + term)
            .map(|sum| sum.backward())
    }
}

impl Output {
    /// True if the element at this place is compared.
    fn compares(&self, at: usize) -> bool {
        let Some((axis, hidden)) = &self.hidden_rows else {
            return true;
        };
        let below: usize = self.shape[axis + 1..].iter().product();
        let queries = self.shape[*axis];
        let item = at / self.shape[1..].iter().product::<usize>();
        !hidden[item * queries + at / below % queries]
    }
}

fn difference(
    name: &str,
    ours: &[f32],
    expected: &[f32],
    (absolute, relative): (f32, f32),
    kept: impl Fn(usize) -> bool,
) -> Option<String> {
    if ours.len() != expected.len() {
        return Some(format!(
            "{name}: {} numbers, not {}",
            ours.len(),
            expected.len()
        ));
    }
    let close = |x: f32, y: f32| (x - y).abs() <= absolute + relative * y.abs();
    let wrong = |&at: &usize| kept(at) && !close(ours[at], expected[at]);
    let at = (0..ours.len()).find(wrong)?;
    Some(format!(
        "{name}[{at}] is {}, not {}",
        ours[at], expected[at]
    ))
}

pub fn text<'a>(config: &'a Value, key: &str) -> &'a str {
    config[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key} is no text in {config}"))
}

pub fn number(config: &Value, key: &str) -> usize {
    config[key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key} is not a number in {config}")) as usize
}
