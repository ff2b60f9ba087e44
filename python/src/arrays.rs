//! NumPy's arrays of what environments show: lent to Python, and filled again when it lets go.

use crate::episodes::ObservationArrays;
use crate::errors::{refused, shape_text, wrong_input};
use crate::shown::{Observation, tiles};
use numpy::{PyArrayDyn, PyArrayMethods, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// Arrays of one shape that Python gets and that are filled again once it has let go of them: the
/// pages of new memory take longer than a step.
pub struct Pool<T> {
    /// What the array is called in messages.
    name: &'static str,
    shape: Vec<usize>,
    /// Whether there is one array, which later steps overwrite.
    is_shared: bool,
    arrays: Vec<Py<PyArrayDyn<T>>>,
}

/// A program that keeps one observation while it gets the next has two arrays.
const POOLED: usize = 3;

impl<T: numpy::Element> Pool<T> {
    pub const fn new(name: &'static str, shape: Vec<usize>, is_shared: bool) -> Self {
        Self {
            name,
            shape,
            is_shared,
            arrays: Vec::new(),
        }
    }

    /// The array that Python gives, which must have the shape, or one that nobody else refers to.
    #[expect(deprecated, reason = "what replaces `get_refcnt` is unsafe")]
    fn take<'py>(
        &mut self,
        py: Python<'py>,
        given: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
        if let Some(given) = given {
            let array = given.cast::<PyArrayDyn<T>>().ok();
            let array = array.filter(|array| array.shape() == self.shape);
            return array.cloned().ok_or_else(|| {
                let kind = T::get_dtype(py);
                let shape = shape_text(&self.shape);
                let needed = format!("out: {}: {kind} of shape {shape}", self.name);
                refused(&given, &needed, true)
            });
        }
        let is_free = |array: &Py<PyArrayDyn<T>>| self.is_shared || array.get_refcnt(py) == 1;
        if let Some(place) = self.arrays.iter().position(is_free) {
            let array = self.arrays[place].bind(py).clone();
            // A free array is used again if it can be changed in place.
            if array.shape() == self.shape && array.try_readwrite().is_ok() {
                return Ok(array);
            }
            self.arrays.swap_remove(place);
        }
        let array = PyArrayDyn::zeros(py, &self.shape[..], false);
        if self.arrays.len() < POOLED {
            self.arrays.push(array.clone().unbind());
        }
        Ok(array)
    }
}

/// The arrays of observations: kinds and numbers, or planes.
pub enum Observations {
    Tiles(Pool<u8>, Pool<f64>),
    Planes(Pool<f32>),
}

impl Observations {
    pub fn new(observation: Observation, shape: Vec<usize>, is_shared: bool) -> Self {
        match observation {
            Observation::Tiles => Self::Tiles(
                Pool::new("kinds", shape.clone(), is_shared),
                Pool::new("numbers", shape, is_shared),
            ),
            _ => Self::Planes(Pool::new("planes", shape, is_shared)),
        }
    }

    /// Calls `fill` with the elements of arrays, and returns these.
    fn filled<'py>(
        &mut self,
        py: Python<'py>,
        given: Option<Bound<'py, PyAny>>,
        mask: &mut [i8],
        fill: impl FnOnce(ObservationArrays<'_>) -> PyResult<()>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Tiles(kinds, numbers) => {
                let part = |name| given.as_ref().map(|given| given.get_item(name)).transpose();
                let kinds = kinds.take(py, part("kinds")?)?;
                let numbers = numbers.take(py, part("numbers")?)?;
                let mut kinds_to = lent(&kinds)?;
                let mut numbers_to = lent(&numbers)?;
                fill(ObservationArrays {
                    kinds: elements(&mut kinds_to)?,
                    numbers: elements(&mut numbers_to)?,
                    planes: &mut [],
                    mask,
                })?;
                drop((kinds_to, numbers_to));
                tiles(py, kinds.into_any(), numbers.into_any())
            }
            Self::Planes(planes) => {
                let planes = planes.take(py, given)?;
                let mut planes_to = lent(&planes)?;
                fill(ObservationArrays {
                    kinds: &mut [],
                    numbers: &mut [],
                    planes: elements(&mut planes_to)?,
                    mask,
                })?;
                drop(planes_to);
                Ok(planes.into_any())
            }
        }
    }
}

/// Arrays that Python gives to be filled: an observation and a mask.
pub type Given<'py> = Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>;

/// Calls `fill` with the elements of an observation's arrays and of a mask, and returns these.
pub fn shown<'py>(
    py: Python<'py>,
    observations: &mut Observations,
    mask: &mut Pool<i8>,
    given: Given<'py>,
    fill: impl FnOnce(ObservationArrays<'_>) -> PyResult<()>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyArrayDyn<i8>>)> {
    let (observation_to, mask_to) = given.unzip();
    let mask = mask.take(py, mask_to)?;
    let mut mask_to = lent(&mask)?;
    let observation = observations.filled(py, observation_to, elements(&mut mask_to)?, fill)?;
    drop(mask_to);
    Ok((observation, mask))
}

/// An array whose elements can be changed.
fn lent<'py, T: numpy::Element>(
    array: &Bound<'py, PyArrayDyn<T>>,
) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    array.try_readwrite().map_err(|_| {
        wrong_input("out: arrays have to be writeable, and to share no memory with each other")
    })
}

/// The elements of an array, in order.
fn elements<'a, T: numpy::Element>(
    array: &'a mut PyReadwriteArrayDyn<'_, T>,
) -> PyResult<&'a mut [T]> {
    // Arrays in the order of Fortran have slices, too.
    let is_in_order = array.is_c_contiguous();
    let elements = array.as_slice_mut().ok().filter(|_| is_in_order);
    elements.ok_or_else(|| wrong_input("out: arrays have to be C-contiguous"))
}
