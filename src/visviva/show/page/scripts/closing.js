// Closed loops while one of their coordinates is moved: Newton's method brings the others along.
//
// VV.closing(close, { nq, nv, size, speeds, joined }): `close(q, held, t, p, y)` writes a position nearer to
// where the loops are closed, and after it the errors that q has; entries of `held` that are 1 stay.
// `joined[index]` are the velocities of the joint where no single one is the rate of q[index].
"use strict";
(() => {
  const { abs, max, ceil } = Math;
  const CLOSED = 1e-11;  // of the size
  const TRIES = 25, STEP = 0.04;  // of Newton's method; rad or m that are gone at once

  VV.closing = (close, { nq, nv, size, speeds, joined = [] }) => {
    const y = new Float64Array(nq + 8 * nv + 64);  // there are fewer rows than that
    const held = new Float64Array(nv);

    // Whether it closed; q is changed, and its entry `index`, if one is named, is not
    const closed = (q, t, p, index = -1) => {
      held.fill(0);
      if (index >= 0 && speeds[index] >= 0) held[speeds[index]] = 1;
      else for (const k of joined[index] || []) held[k] = 1;
      for (let k = 0; k < TRIES; k++) {
        y.fill(0);
        close(q, held, t, p, y);
        let open = 0;
        for (let i = nq; i < y.length; i++) open = max(open, abs(y[i]));
        if (open <= CLOSED * (1 + size)) return true;
        if (!(open < 1e6)) return false;
        for (let i = 0; i < nq; i++) q[i] = y[i];
      }
      return false;
    };

    // q with its entry `index` led to a value, on this branch; as far as it goes, if not all the way
    const led = (q, index, value, t, p) => {
      const start = q[index];
      const n = max(1, ceil(abs(value - start) / STEP));
      const tried = Float64Array.from(q);
      for (let k = 1; k <= n; k++) {
        tried.set(q);
        tried[index] = start + ((value - start) * k) / n;
        if (!closed(tried, t, p, index)) return false;
        q.set(tried);
      }
      return true;
    };

    // For sliders: q as it is wanted, of which entry `index` counts, on the branch of the position
    // `from`; null if it does not close
    const assemble = (wanted, index, t = 0, from = null) => {
      const q = Float64Array.from(from || wanted);
      if (from && speeds[index] >= 0 && closed(q, t, [], index)) {
        return led(q, index, wanted[index], t, []) ? Array.from(q) : null;
      }
      q.set(wanted);  // a joint that turns by a quaternion, or nobody knows where it was
      return closed(q, t, [], index) ? Array.from(q) : null;
    };
    return { closed, led, assemble };
  };
})();
