"""A page of a lecture, checked: which of its equations are right, and what is wrong with the other.

The lecture states the arm's inertia matrix, gravity and torques; one torque is wrong. Then the same
for a paper's equation without forces, and for homework in the terminal: try

    visviva check two_link "tau2 = (I2 + m2 r2^2) q2'' + m2 a_g r2 cos(q1 + q2)"

    python examples/12_check_my_equation.py
"""

import visviva as vv

LECTURE = r"""
H_{11} = m_1 l_{c1}^2 + I_1 + m_2 (l_1^2 + l_{c2}^2 + 2 l_1 l_{c2} \cos\theta_2) + I_2
H_{22} = m_2 l_{c2}^2 + I_2
H_{12} = H_{21} = m_2 (l_{c2}^2 + l_1 l_{c2} \cos\theta_2) + I_2
h = m_2 l_1 l_{c2} \sin\theta_2
G_1 = m_1 l_{c1} g \cos\theta_1 + m_2 g \{l_{c2} \cos(\theta_1 + \theta_2) + l_1 \cos\theta_1\}
G_2 = m_2 g l_{c2} \cos(\theta_1 + \theta_2)
\begin{aligned}
\tau_1 &= H_{11}\ddot\theta_1 + H_{12}\ddot\theta_2 - h\dot\theta_2^2
          - 2h\dot\theta_1\dot\theta_2 + G_1 \\
\tau_2 &= H_{22}\ddot\theta_2 + H_{21}\ddot\theta_1 - h\dot\theta_1\dot\theta_2 + G_2
\end{aligned}
"""


def main():
    verdict = vv.catalog.two_link().check(LECTURE)
    for part in verdict.parts:
        print(f"{part.subject:50} {part.status}")
    wrong = next(part for part in verdict.parts if not part.is_identical)
    print()
    print(wrong)

    bead = vv.catalog.bead_on_rotating_wire()  # on z = k x², turning with Omega
    print()
    print(bead.check("x'' (1 + 4 k^2 x^2) + 4 k^2 x x'^2 - Omega^2 x = 2 g k x"))


if __name__ == "__main__":
    main()
