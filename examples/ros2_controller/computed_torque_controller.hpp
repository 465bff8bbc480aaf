// Computed torque along a wave: the law is the C function that visviva wrote, in SCALAR.
// update() allocates nothing, and an effort that is no number never reaches a motor.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "computed_torque.h"
#include "controller_interface.hpp"

class ComputedTorqueController : public controller_interface::ControllerInterface {
public:
  static constexpr std::size_t joints = 6;
  using Scalar = SCALAR;  // float or double, as computed_torque.h
  using Joints = std::array<Scalar, joints>;

  controller_interface::return_type update(const rclcpp::Time &time,
                                           const rclcpp::Duration & /*period*/) override {
    // states are positions of all joints, then their velocities
    for (std::size_t i = 0; i < joints; ++i) {
      q_[i] = static_cast<Scalar>(state_interfaces_[i].get_value());
      v_[i] = static_cast<Scalar>(state_interfaces_[joints + i].get_value());
    }
    const double angle = 2.0 * time.seconds();
    q_wanted_.fill(static_cast<Scalar>(0.5 * std::sin(angle)));
    v_wanted_.fill(static_cast<Scalar>(std::cos(angle)));
    a_wanted_.fill(static_cast<Scalar>(-2.0 * std::sin(angle)));
    computed_torque(q_.data(), v_.data(), q_wanted_.data(), v_wanted_.data(), a_wanted_.data(),
                    tau_.data());
    for (const Scalar x : tau_) {
      if (!std::isfinite(x)) {
        return controller_interface::return_type::ERROR;
      }
    }
    for (std::size_t i = 0; i < joints; ++i) {
      command_interfaces_[i].set_value(static_cast<double>(tau_[i]));
    }
    return controller_interface::return_type::OK;
  }

private:
  Joints q_{}, v_{}, q_wanted_{}, v_wanted_{}, a_wanted_{}, tau_{};
};
