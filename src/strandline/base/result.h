#pragma once

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "strandline/base/check.h"
#include "strandline/base/error.h"

namespace strandline {

// A T, or the Error that explains why there is none. The compiler warns when one is dropped.
// Member names follow std::expected, so that this can become an alias of it one day.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // Implicit, so that `return snapshot;` and `return MakeError(...);` both read well.
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT
  template <typename U = T>
    requires std::convertible_to<U&&, T> && (!std::same_as<std::remove_cvref_t<U>, Result>) &&
             (!std::same_as<std::remove_cvref_t<U>, Error>)
  Result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}  // NOLINT

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  // Only if has_value().
  const T& value() const& { return *Get<0>(state_); }
  T& value() & { return *Get<0>(state_); }
  T&& value() && { return std::move(*Get<0>(state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  // Only if not.
  const Error& error() const& { return *Get<1>(state_); }
  Error&& error() && { return std::move(*Get<1>(state_)); }

 private:
  template <std::size_t side, typename State>
  static auto* Get(State& state) {
    SL_CHECK(state.index() == side);
    return std::get_if<side>(&state);
  }

  std::variant<T, Error> state_;
};

// Success, or the Error that explains the failure.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  void value() const { SL_CHECK(has_value()); }
  const Error& error() const& {
    SL_CHECK(error_.has_value());
    return *error_;
  }
  Error&& error() && {
    SL_CHECK(error_.has_value());
    return *std::move(error_);
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

template <typename... Args>
Error MakeError(ErrorKind kind, fmt::format_string<Args...> format, Args&&... args) {
  return Error{kind, fmt::format(format, std::forward<Args>(args)...)};
}

}  // namespace strandline

// The value of `expr`, or an early return of its error. Further arguments say what we were
// doing; they are formatted only on failure.
//
//   Manifest manifest = SL_TRY(ReadManifest(io, path), "planning {}", table_name);
//
// A GNU statement expression (g++ and clang). Use it as a whole statement or a whole
// initialiser; in a lambda, write the return type.
#define SL_TRY(expr, ...)                                                               \
  __extension__({                                                                       \
    auto&& sl_result = (expr);                                                          \
    if (!sl_result) [[unlikely]] {                                                      \
      return std::move(sl_result).error() __VA_OPT__(.While(fmt::format(__VA_ARGS__))); \
    }                                                                                   \
    std::move(sl_result).value();                                                       \
  })
