// A stand-in for the few names of ros2_control that the controller beside it uses, so that the example
// builds where ROS is not installed. Written for this example; on a robot, include
// <controller_interface/controller_interface.hpp> and add on_init, on_configure and the like.
#pragma once

#include <utility>
#include <vector>

namespace rclcpp {

class Duration {
public:
  explicit Duration(double seconds) : seconds_(seconds) {}
  double seconds() const { return seconds_; }

private:
  double seconds_;
};

class Time {
public:
  explicit Time(double seconds) : seconds_(seconds) {}
  double seconds() const { return seconds_; }

private:
  double seconds_;
};

}  // namespace rclcpp

namespace hardware_interface {

class LoanedStateInterface {
public:
  explicit LoanedStateInterface(const double *value) : value_(value) {}
  double get_value() const { return *value_; }

private:
  const double *value_;
};

class LoanedCommandInterface {
public:
  explicit LoanedCommandInterface(double *value) : value_(value) {}
  void set_value(double value) { *value_ = value; }

private:
  double *value_;
};

}  // namespace hardware_interface

namespace controller_interface {

enum class return_type { OK, ERROR };

class ControllerInterface {
public:
  ControllerInterface() = default;
  ControllerInterface(const ControllerInterface &) = delete;
  ControllerInterface &operator=(const ControllerInterface &) = delete;
  virtual ~ControllerInterface() = default;

  virtual return_type update(const rclcpp::Time &time, const rclcpp::Duration &period) = 0;

  void assign_interfaces(std::vector<hardware_interface::LoanedCommandInterface> commands,
                         std::vector<hardware_interface::LoanedStateInterface> states) {
    command_interfaces_ = std::move(commands);
    state_interfaces_ = std::move(states);
  }

protected:
  std::vector<hardware_interface::LoanedCommandInterface> command_interfaces_;
  std::vector<hardware_interface::LoanedStateInterface> state_interfaces_;
};

}  // namespace controller_interface
