// The controller manager's part: read, update, write, at a kilohertz of simulated time. The robot is
// visviva's step, in C as well. It prints the positions and velocities at the end.
#include <array>
#include <cstdio>
#include <vector>

#include "arm_step.h"
#include "computed_torque_controller.hpp"

int main() {
  constexpr std::size_t n = ComputedTorqueController::joints;
  constexpr double period = 1e-3;
  std::array<double, n> q{}, v{}, tau{};
  q.fill(0.2);
  std::vector<hardware_interface::LoanedCommandInterface> commands;
  std::vector<hardware_interface::LoanedStateInterface> states;
  for (double &x : tau) commands.emplace_back(&x);
  for (const double &x : q) states.emplace_back(&x);
  for (const double &x : v) states.emplace_back(&x);
  ComputedTorqueController controller;
  controller.assign_interfaces(commands, states);

  for (int k = 0; k < 1000; ++k) {
    const auto done = controller.update(rclcpp::Time(k * period), rclcpp::Duration(period));
    if (done != controller_interface::return_type::OK) {
      return 1;
    }
    std::array<double, n> q_next{}, v_next{};
    arm_step(q.data(), v.data(), tau.data(), &period, q_next.data(), v_next.data());
    q = q_next;
    v = v_next;
  }
  for (const auto &row : {q, v}) {
    for (const double x : row) std::printf("%.17g ", x);
    std::printf("\n");
  }
  return 0;
}
