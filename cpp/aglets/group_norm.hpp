#pragma once

#include <span>
#include <vector>

namespace aglets {

/// The dual of the penalty sharing |.|_2 + (1 - sharing) |.|_1: the smallest
/// lambda at which coefficients with gradient g stay zero, that is the root of
/// |S(g, (1 - sharing) lambda)|_2 = sharing lambda with S the soft threshold. It
/// is the Euclidean norm for sharing 1, the largest entry for sharing 0, and |g|
/// for one entry. It grows with every |g_k|, and moves by at most |g - g'|_2.
/// `scratch` saves an allocation per call. Cost: a sort of g for sharing between
/// 0 and 1.
double dual_norm(std::span<const double> g, double sharing, std::vector<double>& scratch);

}  // namespace aglets
