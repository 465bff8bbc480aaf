// A mechanism in motion: its steps, the forces on it, and the account of its energy.
// It knows nothing of pages, so that it runs wherever JavaScript does.
"use strict";
(() => {
  const { abs, max, min, sqrt, tanh, hypot } = Math;
  const KINDS = ["hand", "motors", "friction", "applied", "moving", "time", "sliders", "impacts"];
  const SOFT = 10;  // rad/s: how fast a spring of the hand swings what it holds, a heavy way
  const STIFF = 40;  // the same the lightest way, at most
  const HEAVY = 4, BLOCKED = 50;  // times the lightest: what counts for that, what is no way to go
  const HOLD = 60;  // rad/s: how fast a joint that its motor holds would swing alone
  const RIGID = 1e-9;  // of what joints alone would give way: less is rounding, not a motion
  const SAG = 0.08;  // of the size: how far the weight may draw the spring

  const dot = (a, b) => {
    let sum = 0;
    for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
    return sum;
  };
  const largest = (a) => {
    let most = 0;
    for (let i = 0; i < a.length; i++) most = max(most, abs(a[i]));  // NaN stays NaN
    return most;
  };

  // `mechanism` has the functions of the script, `data` what `Laboratory.as_dict` says of them.
  VV.motion = (mechanism, data) => {
    const { nq, nv, dt } = data;
    const f = mechanism;
    const array = (n) => new Float64Array(n);
    const m = {
      dt, kinds: KINDS,
      q: Float64Array.from(data.q), v: Float64Array.from(data.v), t: 0,
      p: Float64Array.from(data.parameters, (x) => x.value),
      tau: array(nv),  // forces that stay as they are; on top of the hand's and the motors'
      hand: null,  // { carrier, r, target, k, d, force, point }
      push: null,  // { carrier, r, F, until }
      damping: 0,  // 1/s, times data.drag: friction that the page adds
      carried: false,  // whether motors carry the weight
      held: Uint8Array.from(data.holdable, (x) => Number(x.held)),  // which joints motors hold
      stopped: data.stopped,  // whether limits stop joints
      work: Object.fromEntries(KINDS.map((kind) => [kind, 0])),
      first: 0, kinetic: 0, potential: 0, energy: 0, steps: 0,
    };

    const kept = array(data.holdable.length);  // where motors hold joints
    let holding = false;
    const keep = () => {
      data.holdable.forEach((x, i) => { kept[i] = m.q[x.q]; });
      holding = m.held.some((x) => x);
    };
    m.hold = (i, on) => {  // a motor holds the joint where it is now, or lets it go
      m.held[i] = Number(on);
      kept[i] = m.q[data.holdable[i].q];
      holding = m.held.some((x) => x);
    };

    // ---- forces, and their powers, at a stage of a step

    const power = array(KINDS.length);
    const tau = array(nv), own = array(nv), unit = array(3), F = array(3);
    const columns = [array(nv), array(nv), array(nv)];  // Jᵀ of the point that is held
    const powers = array(4);
    const count = f.pulls.length - 1;
    const X = array(12 * count);

    const pointOf = (k, r, out) => {
      const at = 12 * (k - 1);
      for (let i = 0; i < 3; i++) {
        const row = at + 4 * i;
        out[i] = X[row] * r[0] + X[row + 1] * r[1] + X[row + 2] * r[2] + X[row + 3];
      }
      return out;
    };
    const turned = (k, r, q, t) => {  // Jᵀ, one column of it for each axis of the world
      for (let i = 0; i < 3; i++) {
        unit.fill(0);
        unit[i] = 1;
        f.pulls[k](q, t, m.p, r, unit, columns[i]);
      }
    };
    const point = array(3);
    const handed = (q, v, t) => {
      const h = m.hand;
      f.places(q, t, m.p, X);
      pointOf(h.carrier, h.r, point);
      turned(h.carrier, h.r, q, t);
      for (let i = 0; i < 3; i++) {
        F[i] = h.k * (h.target[i] - point[i]) - h.d * dot(columns[i], v);
      }
      for (let j = 0; j < nv; j++) {
        own[j] = F[0] * columns[0][j] + F[1] * columns[1][j] + F[2] * columns[2][j];
      }
    };
    const act = (kind, v) => {
      for (let j = 0; j < nv; j++) tau[j] += own[j];
      power[kind] += dot(own, v);
    };
    const forces = (q, v, t) => {
      power.fill(0);
      tau.set(m.tau);
      power[1] += dot(tau, v);
      if (m.hand) {
        handed(q, v, t);
        act(0, v);
      }
      if (m.push) {
        f.pulls[m.push.carrier](q, t, m.p, m.push.r, m.push.F, own);
        act(0, v);
      }
      if (m.carried && f.weight) {
        f.weight(q, t, m.p, own);
        act(1, v);
      }
      if (holding) {
        own.fill(0);
        data.holdable.forEach((x, i) => {
          if (!m.held[i]) return;
          own[x.v] = -data.drag[x.v] * HOLD * (HOLD * (q[x.q] - kept[i]) + 2 * v[x.v]);
        });
        act(1, v);
      }
      if (m.damping) {
        for (let j = 0; j < nv; j++) own[j] = -m.damping * data.drag[j] * v[j];
        act(2, v);
      }
      if (f.dry) {
        f.dry(v, m.p, own);
        for (let j = 0; j < nv; j++) {
          own[j] = widths[j] > 0 ? -own[j] * tanh(v[j] / widths[j]) : 0;
        }
        act(2, v);
      }
    };

    // Speeds below which dry friction is rounded off: wider where sliders make it stronger, or what
    // it acts on lighter, than stated, as steps could not follow it
    const widths = Float64Array.from(data.rounding);
    const widen = () => {
      if (!f.dry) return;
      const [none, rest, moved, size] = [array(nv), array(nv), array(nv), array(nv)];
      f.dry(none, m.p, size);
      f.acceleration(m.q, none, none, m.t, m.p, rest);
      for (let j = 0; j < nv; j++) {
        tau.fill(0);
        tau[j] = 1;
        f.acceleration(m.q, none, tau, m.t, m.p, moved);
        const wanted = 2 * dt * data.spread * abs(size[j]) * (moved[j] - rest[j]);
        widths[j] = wanted > data.rounding[j] ? wanted : data.rounding[j];
      }
    };

    // ---- the step of fourth order by Runge and Kutta, as `simulate` takes it

    const WEIGHTS = [1 / 6, 2 / 6, 2 / 6, 1 / 6];
    const AT = [0, 0.5, 0.5, 1];
    const slopes = WEIGHTS.map(() => ({ q: array(nq), v: array(nv), power: array(KINDS.length) }));
    const qs = array(nq), vs = array(nv), spare = array(max(nq, nv));

    const slope = (q, v, t, k) => {
      forces(q, v, t);
      f.acceleration(q, v, tau, t, m.p, k.v);
      if (f.powers) {
        f.powers(q, v, tau, t, m.p, powers);
        for (let i = 0; i < 4; i++) power[2 + i] += powers[i];
      }
      if (f.rates) f.rates(q, v, k.q);
      else k.q.set(v);
      k.power.set(power);
    };
    const admitted = () => {
      const { q, v } = m;
      for (const at of data.quaternions) {
        const n = 1 / sqrt(q[at] * q[at] + q[at + 1] * q[at + 1] + q[at + 2] * q[at + 2]
          + q[at + 3] * q[at + 3]);
        for (let i = at; i < at + 4; i++) q[i] *= n;
      }
      if (f.correct) {
        for (let k = 0; k < data.corrections; k++) {
          f.correct(q, v, m.t, m.p, spare);
          for (let i = 0; i < nq; i++) q[i] = spare[i];
        }
      }
      if (f.admit) {
        f.admit(q, v, m.t, m.p, spare);
        for (let i = 0; i < nv; i++) v[i] = spare[i];
      }
    };
    const sum = (i, which) => {  // in the order in which Python adds
      let total = slopes[0][which][i] * WEIGHTS[0];
      for (let k = 1; k < 4; k++) total += slopes[k][which][i] * WEIGHTS[k];
      return total;
    };
    m.step = () => {
      const { q, v } = m;
      slope(q, v, m.t, slopes[0]);
      for (let k = 1; k < 4; k++) {
        const before = slopes[k - 1];
        for (let i = 0; i < nq; i++) qs[i] = q[i] + before.q[i] * AT[k] * dt;
        for (let i = 0; i < nv; i++) vs[i] = v[i] + before.v[i] * AT[k] * dt;
        slope(qs, vs, m.t + dt * AT[k], slopes[k]);
      }
      for (let i = 0; i < nq; i++) q[i] += sum(i, "q") * dt;
      for (let i = 0; i < nv; i++) v[i] += sum(i, "v") * dt;
      for (let i = 0; i < KINDS.length; i++) m.work[KINDS[i]] += sum(i, "power") * dt;
      m.t += dt;
      m.steps++;
      admitted();
      if (m.stopped && data.stops.length) impacts();
      if (m.push && m.t >= m.push.until) m.push = null;
    };
    m.isFinite = () => Number.isFinite(largest(m.q)) && Number.isFinite(largest(m.v));

    // ---- energies and the account

    const energies = array(3);
    m.measure = () => {
      f.energies(m.q, m.v, m.t, m.p, energies);
      m.kinetic = energies[0];
      m.potential = energies[1];
      m.energy = data.natural ? energies[0] + energies[1] : energies[2];
      return m.energy;
    };
    m.total = () => KINDS.reduce((all, kind) => all + m.work[kind], 0);
    m.error = () => m.measure() - m.first - m.total();  // what the account leaves open
    m.open = () => {  // a new account
      for (const kind of KINDS) m.work[kind] = 0;
      m.first = m.measure();
      m.steps = 0;
    };
    const booked = (kind, change) => {  // what changes energy at once
      const before = m.measure();
      change();
      m.work[kind] += m.measure() - before;
    };

    // ---- stops: what comes against one goes back with a part of its speed, at the end of the step

    const pushed = array(nv), rest = array(nv), response = array(nv);
    const impacts = () => {
      for (const stop of data.stops) {
        const low = stop.lower !== null && m.q[stop.q] < stop.lower;
        const high = stop.upper !== null && m.q[stop.q] > stop.upper;
        if (!low && !high) continue;
        booked("impacts", () => {
          m.assemble(stop.q, low ? stop.lower : stop.upper);  // loops stay closed there
          const speed = m.v[stop.v];
          if (low ? speed < 0 : speed > 0) {
            pushed.fill(0);
            f.acceleration(m.q, m.v, pushed, m.t, m.p, rest);
            pushed[stop.v] = 1;
            f.acceleration(m.q, m.v, pushed, m.t, m.p, response);
            const own = response[stop.v] - rest[stop.v];
            const back = abs(speed) > 0.05 ? stop.restitution : 0;
            const impulse = own > 0 ? (-(1 + back) * speed) / own : 0;
            for (let j = 0; j < nv; j++) m.v[j] += (response[j] - rest[j]) * impulse;
          }
          if (f.admit) {
            f.admit(m.q, m.v, m.t, m.p, spare);
            m.v.set(spare.subarray(0, nv));
          }
        });
      }
    };

    // ---- positions, where loops stay closed

    const closing = f.close ? VV.closing(f.close, data) : null;
    // The position in which entry `index` of q has a value, on this branch, as far as it goes there
    m.assemble = (index, value) => {
      if (closing) return closing.led(m.q, index, value, m.t, m.p);
      m.q[index] = value;
      if (data.quaternions.length) admitted();
      return true;
    };
    m.place = (index, value) => {  // the same, at rest, with a new account
      const done = m.assemble(index, value);
      m.v.fill(0);
      admitted();
      keep();
      m.open();
      return done;
    };
    m.rate = (index, value) => {  // a velocity, as constraints admit it, with a new account
      m.v[index] = value;
      admitted();
      m.open();
    };
    // A parameter as it is moved; false if the mechanism cannot be put together with it
    m.set = (index, value) => {
      const before = m.p[index];
      const q = Float64Array.from(m.q);
      let done = true;
      booked("sliders", () => {
        m.p[index] = value;
        if (closing) done = closing.closed(m.q, m.t, m.p);
        if (!done) {
          m.p[index] = before;
          m.q.set(q);
        } else if (f.admit) admitted();
      });
      widen();
      return done;
    };
    m.reset = () => {  // false if the start cannot be put together with the numbers it has now
      m.q.set(data.q);
      m.v.set(data.v);
      m.t = 0;
      m.hand = null;
      m.push = null;
      const done = !closing || closing.closed(m.q, m.t, m.p);
      const stated = data.parameters.every((x, i) => m.p[i] === x.value);
      const moved = m.q.some((x, i) => x !== data.q[i]);
      if (!done) m.q.set(data.q);
      else if (moved || !stated) admitted();
      widen();
      keep();
      m.open();
      return done;
    };

    // ---- places of the picture, and the hand in it

    m.places = (q = m.q) => {  // of all carriers but the world: rows of [R | p]
      f.places(q, m.t, m.p, X);
      return Array.from({ length: count }, (_, k) => [0, 4, 8].map((row) =>
        Array.from(X.subarray(12 * k + row, 12 * k + row + 4))));
    };
    const within = (k, at) => {  // the point of a carrier that is at a point of the world
      const o = 12 * (k - 1);
      const [a, b, c, d, e, g, h, i, j] = [0, 1, 2, 4, 5, 6, 8, 9, 10].map((x) => X[o + x]);
      const [x, y, z] = [3, 7, 11].map((row, n) => at[n] - X[o + row]);
      const volume = a * (e * j - g * i) - b * (d * j - g * h) + c * (d * i - e * h);
      return [
        (x * (e * j - g * i) - b * (y * j - g * z) + c * (y * i - e * z)) / volume,
        (a * (y * j - g * z) - x * (d * j - g * h) + c * (d * z - y * h)) / volume,
        (a * (e * z - y * i) - b * (d * z - y * h) + x * (d * i - e * h)) / volume];
    };
    // What resists a force along each of some directions, and what it takes to hold against weight
    const felt = (k, r, directions) => {
      const still = array(nv), a0 = array(nv), a = array(nv), force = array(nv);
      const none = array(nv);
      f.acceleration(m.q, still, none, m.t, m.p, a0);
      return directions.map((e) => {
        f.pulls[k](m.q, m.t, m.p, r, Float64Array.from(e), force);
        f.acceleration(m.q, still, force, m.t, m.p, a);
        let moved = 0, falling = 0, alone = 0;
        for (let j = 0; j < nv; j++) {
          moved += force[j] * (a[j] - a0[j]);
          falling += force[j] * a0[j];
          if (data.drag[j] > 0) alone += (force[j] * force[j]) / data.drag[j];
        }
        const mass = moved > RIGID * alone ? 1 / moved : Infinity;
        return { mass, hold: Number.isFinite(mass) ? mass * abs(falling) : 0 };
      });
    };
    m.canGrab = (carrier) => Boolean(data.grips[carrier] && f.pulls[data.grips[carrier]]);
    // Take hold of a carrier at a point of the world; `plane` are two directions to move it in
    m.grab = (carrier, at, plane) => {
      const k = data.grips[carrier];
      if (!m.canGrab(carrier)) return null;
      f.places(m.q, m.t, m.p, X);
      const r = within(k, at);
      const side = plane.map((e, i) => e.map((x, n) => (x + plane[1 - i][n]) / Math.SQRT2));
      const known = felt(k, r, [...plane, ...side]);
      const light = min(...known.map((x) => x.mass));
      if (!Number.isFinite(light)) return null;  // held so that it cannot move this way
      const ways = known.filter((x) => x.mass < BLOCKED * light);
      const heavy = min(HEAVY * light, max(...ways.map((x) => x.mass)));
      const wanted = max(heavy * SOFT * SOFT, ...ways.map((x) => x.hold / (SAG * data.size)));
      const stiffness = max(min(wanted, light * STIFF * STIFF), light * SOFT * SOFT);
      m.hand = { carrier: k, r, target: [...at], k: stiffness,
        d: 1.4 * sqrt(stiffness * light) };
      return m.hand;
    };
    m.release = () => { m.hand = null; };
    // Where the hand holds, and with which force, now
    m.grip = () => {
      if (!m.hand) return null;
      handed(m.q, m.v, m.t);
      return { point: Array.from(point), force: Array.from(F), size: hypot(F[0], F[1], F[2]) };
    };
    // A push for some time on a point of the world that a carrier has there
    m.pushAt = (carrier, at, direction, seconds) => {
      const k = data.grips[carrier];
      if (!m.canGrab(carrier)) return false;
      f.places(m.q, m.t, m.p, X);
      const r = within(k, at);
      const [{ mass, hold }] = felt(k, r, [direction]);
      if (!Number.isFinite(mass)) return false;
      const strong = (2.5 * mass * sqrt(data.size)) / seconds + 1.5 * hold;
      m.push = { carrier: k, r: Float64Array.from(r), until: m.t + seconds,
        F: Float64Array.from(direction, (x) => x * strong) };
      return true;
    };

    m.reset();
    return m;
  };
})();
