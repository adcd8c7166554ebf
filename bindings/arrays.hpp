#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace aglets::python {

namespace nb = nanobind;

/// Read-only, C-ordered input.
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto as_span(const Array& array) {
  return std::span(array.data(), array.size());
}

template <class T, class Array>
std::vector<T> as_vector(const Array& array) {
  return {array.data(), array.data() + array.size()};
}

/// Hands a vector over to NumPy without copying it.
template <class T>
auto as_array(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(owned->data(), shape, owner);
}

template <class T>
auto as_array(std::vector<T> values) {
  const auto n = values.size();
  return as_array(std::move(values), {n});
}

}  // namespace aglets::python
