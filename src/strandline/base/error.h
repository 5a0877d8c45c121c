#pragma once

#include <string>
#include <string_view>

namespace strandline {

// What the caller can do about it. Add a kind only when a caller would act differently.
enum class ErrorKind {
  kInvalidArgument,   // The caller asked for something that can never work. Fix the call.
  kNotFound,          // The named thing is not there.
  kAlreadyExists,     // The named thing is there already.
  kConflict,          // Another writer got in first. Rebase on the new state and try again.
  kCommitUnknown,     // The commit may or may not have landed. Look before doing anything else.
  kUnavailable,       // The other side did not answer. Try again later.
  kPermissionDenied,  // The other side answered no.
  kCorrupt,           // Stored bytes break the format's rules.
  kUnsupported,       // Valid, and we do not do it.
  kCancelled,         // The person or the system asked us to stop. Nothing more is to be tried.
};

std::string_view ToString(ErrorKind kind);

struct [[nodiscard]] Error {
  ErrorKind kind;
  std::string message;

  // Puts what we were doing in front: "planning orders@main: reading m1.avro: bad magic".
  Error&& While(std::string_view doing) && {
    message.insert(0, ": ").insert(0, doing);
    return std::move(*this);
  }

  friend bool operator==(const Error&, const Error&) = default;
};

}  // namespace strandline
