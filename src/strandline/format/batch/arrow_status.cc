#include "strandline/format/batch/arrow_status.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace strandline::format {
namespace {

constexpr char kDetailType[] = "strandline::Error";

class ErrorDetail final : public arrow::StatusDetail {
 public:
  explicit ErrorDetail(Error error) : error_(std::move(error)) {}

  const char* type_id() const override { return kDetailType; }
  std::string ToString() const override { return error_.message; }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

}  // namespace

bool CarriesOurError(const arrow::Status& status) {
  return status.detail() != nullptr && std::string_view(status.detail()->type_id()) == kDetailType;
}

Status FromArrow(const arrow::Status& status, ErrorKind kind) {
  if (status.ok()) {
    return {};
  }
  if (CarriesOurError(status)) {
    return static_cast<const ErrorDetail&>(*status.detail()).error();
  }
  if (status.IsOutOfMemory()) {
    return MakeError(ErrorKind::kUnavailable, "out of memory: {}", status.message());
  }
  if (status.IsNotImplemented()) {
    return MakeError(ErrorKind::kUnsupported, "{}", status.message());
  }
  return MakeError(kind, "{}", status.message());
}

arrow::Status ToArrow(const Error& error) {
  return arrow::Status::IOError(error.message).WithDetail(std::make_shared<ErrorDetail>(error));
}

}  // namespace strandline::format
