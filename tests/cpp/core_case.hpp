#pragma once

#include <cstdint>
#include <span>

/// Reads bytes as a small set of graphs and questions about it, and compares what
/// different parts of the core answer: mining with one and with several threads and
/// budgets, searches with the bound and without, all matchers with each other. Every
/// sequence of bytes is a case. Throws std::logic_error where answers differ.
void run_core_case(std::span<const std::uint8_t> bytes);
