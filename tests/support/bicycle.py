"""Whipple's bicycle by the formulas of Meijaard et al. 2007, appendix A, and their values."""

import mpmath

import visviva as vv

# table 2: at 0, 1, … 10 m/s; capsize, weave (real and imaginary part), caster
CAPSIZE = [-3.13164324790656, -3.13423125066578, -3.07158645641514, -2.63366137253667,
           -1.42944427361326, -0.32286642900409, -0.00406690076970, 0.10268170574766,
           0.14327879765713, 0.15790184030917, 0.16105338653172]  # fmt: skip
WEAVE = [None, 3.52696170990070 + 0.80774027519930j, 2.68234517512745 + 1.68066296590675j,
         1.70675605663975 + 2.31582447384325j, 0.41325331521125 + 3.07910818603206j,
         -0.77534188219585 + 4.46486771378823j, -1.52644486584142 + 5.87673060598709j,
         -2.13875644258362 + 7.19525913329805j, -2.69348683581097 + 8.46037971396931j,
         -3.21675402252485 + 9.69377351531791j, -3.72016840437287 + 10.90681139476287j]  # fmt: skip
CASTER = [-5.53094371765393, -7.11008014637442, -8.67387984831735, -10.35101467245920,
          -12.15861426576450, -14.07838969279820, -16.08537123098030, -18.15788466125262,
          -20.27940894394569, -22.43788559040858, -24.62459635017404]  # fmt: skip
AT_REST = [3.13164324790656, 5.53094371765393]  # instead of weave
WEAVE_SPEED, CAPSIZE_SPEED = 4.29238253634111, 6.02426201538837


def matrices():
    """M, C1, K0, K2 of lean and steer, as numbers of mpmath; z of the paper is down."""
    p = {k: mpmath.mpf(repr(x)) for k, x in vv.catalog.bicycle().parameters.items()}
    w, c, tilt = p["w"], p["c"], mpmath.pi / 10
    rR, mR, IRxx, IRyy = (p[x] for x in ("rR", "mR", "IRxx", "IRyy"))
    rF, mF, IFxx, IFyy = (p[x] for x in ("rF", "mF", "IFxx", "IFyy"))
    mB, mH, xB, xH = (p[x] for x in ("mB", "mH", "xB", "xH"))
    zB, zH, IBxz, IHxz = (-p[x] for x in ("zB", "zH", "IBxz", "IHxz"))
    s, k = mpmath.sin(tilt), mpmath.cos(tilt)
    mT = mR + mB + mH + mF
    xT = (xB * mB + xH * mH + w * mF) / mT
    zT = (-rR * mR + zB * mB + zH * mH - rF * mF) / mT
    ITxx = IRxx + p["IBxx"] + p["IHxx"] + IFxx
    ITxx += mR * rR**2 + mB * zB**2 + mH * zH**2 + mF * rF**2
    ITxz = IBxz + IHxz - mB * xB * zB - mH * xH * zH + mF * w * rF
    ITzz = IRxx + p["IBzz"] + p["IHzz"] + IFxx + mB * xB**2 + mH * xH**2 + mF * w**2
    mA = mH + mF
    xA, zA = (xH * mH + w * mF) / mA, (zH * mH - rF * mF) / mA
    IAxx = p["IHxx"] + IFxx + mH * (zH - zA) ** 2 + mF * (rF + zA) ** 2
    IAxz = IHxz - mH * (xH - xA) * (zH - zA) + mF * (w - xA) * (rF + zA)
    IAzz = p["IHzz"] + IFxx + mH * (xH - xA) ** 2 + mF * (w - xA) ** 2
    uA = (xA - w - c) * k - zA * s
    IAll = mA * uA**2 + IAxx * s**2 + 2 * IAxz * s * k + IAzz * k**2
    IAlx = -mA * uA * zA + IAxx * s + IAxz * k
    IAlz = mA * uA * xA + IAxz * s + IAzz * k
    mu, SR, SF = c / w * k, IRyy / rR, IFyy / rF
    ST, SA = SR + SF, mA * uA + mu * mT * xT
    M = [[ITxx, IAlx + mu * ITxz], [IAlx + mu * ITxz, IAll + 2 * mu * IAlz + mu**2 * ITzz]]
    K0 = [[mT * zT, -SA], [-SA, -SA * s]]
    K2 = [[0, (ST - mT * zT) / w * k], [0, (SA + SF * s) / w * k]]
    C1 = [
        [0, mu * ST + SF * k + ITxz / w * k - mu * mT * zT],
        [-(mu * ST + SF * k), IAlz / w * k + mu * (SA + ITzz / w * k)],
    ]
    return tuple(mpmath.matrix(x) for x in (M, C1, K0, K2))


def eigenvalues(speed, digits=30):
    """The four of lean and steer at a speed in m/s, largest real part first."""
    with mpmath.workdps(digits):
        M, C1, K0, K2 = matrices()
        v, g = mpmath.mpf(speed), mpmath.mpf("9.81")
        A = mpmath.zeros(4)
        A[0, 2] = A[1, 3] = 1
        A[2:, :2] = -mpmath.inverse(M) * (g * K0 + v**2 * K2)
        A[2:, 2:] = -mpmath.inverse(M) * (v * C1)
        found, _ = mpmath.eig(A)
        return sorted(found, key=lambda z: (-mpmath.re(z), -mpmath.im(z)))


def speeds(digits=30):
    """Where weave stops growing, and where capsize begins to."""
    with mpmath.workdps(digits):
        weave = lambda v: max(mpmath.re(z) for z in eigenvalues(v) if abs(mpmath.im(z)) > 1)  # noqa: E731
        _, _, K0, K2 = matrices()
        g = mpmath.mpf("9.81")
        capsize = lambda v: mpmath.det(g * K0 + v**2 * K2)  # noqa: E731
        return mpmath.findroot(
            weave, (4, 4.5), solver="illinois", tol=1e-50, verify=False
        ), mpmath.findroot(capsize, 6)
