// The laboratory: a mechanism that the reader takes hold of, lets go and watches.
//
// Elements <div data-laboratory="name"> are filled from VV.data(name) = { motion, scene } and
// VV.mechanism; VV.laboratories[name] is { motion, viewer, play, pause, step, reset, … }.
"use strict";
(() => {
  const { abs, min, max, floor, hypot, PI } = Math;
  const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2];
  const BUDGET = 11;  // ms of a frame for steps
  const SETTLE = 0.3;  // s in which the speed that is shown follows
  const LATE = 100;  // ms that are made up for at most
  const COURSE = 10;  // s of energies that are shown
  const TRACE = 500;  // points
  const STRONGEST = 6;  // 1/s of added friction
  const PUSH = 0.18;  // s
  const GRASP = 28;  // pixels around a link in which it is taken hold of
  const MOST = 10;  // numbers that are seen at once
  const FAR = 25;  // radii of the picture: what is beyond does not come back
  const LOOK = 6, GLANCE = 120;  // s of the motion that shall fit into the picture; ms to find out
  const WORDS = { hand: "Work of your hand", motors: "Work of motors",
    friction: "Taken by friction", applied: "Applied forces", moving: "Moving constraints",
    time: "Explicit time", sliders: "By moving sliders", impacts: "Impacts at stops" };
  const DYES = { kinetic: "--lab-kinetic", potential: "--lab-potential", energy: "--lab-energy",
    hand: "--lab-hand", friction: "--lab-friction" };

  const button = (text, title, act) =>
    VV.element("button", { type: "button", title, onclick: act }, text);
  const powers = (text) => {  // 3.7·10⁻⁷ of 3.7e-7, as the rest of the page has it
    const [digits, exponent] = text.split("e");
    if (exponent === undefined) return "–";  // not a finite number
    const high = [...exponent.replace("+", "")].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));
    return `${digits.replace("-", "−")}·10${high.join("")}`;
  };
  const shown = (x) => {  // four digits, as a person writes them
    if (!Number.isFinite(x)) return "–";
    const size = abs(x);
    if (size === 0) return "0";
    if (size >= 1e5 || size < 1e-3) return powers(x.toExponential(1));
    return x.toFixed(max(0, 3 - floor(Math.log10(size)))).replace("-", "−");
  };
  const digits = (x) => String(Number(x.toPrecision(4)));

  VV.laboratory = (box, { motion: data, scene }, mechanism) => {
    const m = VV.motion(mechanism, data);
    const lab = { motion: m, data, box, running: false, speed: 1, rate: 1 };
    const picture = VV.picture(box, { scene, sliders: false, motions: [], more: () => [],
      places: (q) => m.places(q),
      alt: `${data.name}: a laboratory. Take hold of a link with the mouse or a finger, pull, let go.`
        + " Space starts and stops, the full stop is one step, R begins again." });
    const { viewer, stage } = picture;
    lab.viewer = viewer;
    const draw = () => viewer.draw(m.q);

    // ---- time

    let before = 0, late = 0, visible = true, wanted = false, frames = 0;
    const clock = VV.element("output", { class: "clock", "aria-live": "off" });
    const play = button("", "Start", () => (lab.running ? lab.pause() : lab.play()));
    play.classList.add("play");
    const trouble = VV.element("div", { class: "note bad trouble", role: "alert", hidden: true });
    const label = (on) => {
      play.classList.toggle("on", on);
      play.title = on ? "Pause" : "Start";
      play.setAttribute("aria-label", play.title);
    };
    const fail = (why) => {
      lab.pause();
      m.release();
      viewer.arrow("hand");
      trouble.replaceChildren(VV.element("p", {}, why, " "),
        button("Begin again", "Reset", lab.reset));
      trouble.hidden = false;
      lab.failed = true;
    };
    const isLost = () => {  // whether all of it has left the picture for good
      const far = FAR * max(scene.radius, scene.size);
      const away = (X) => hypot(...X.map((row, i) => row[3] - scene.center[i]));
      return m.places().some((X) => away(X) > far);
    };
    const sound = () => {  // whether it can go on
      if (!m.isFinite()) {
        fail(`At ${shown(m.t)} s the motion became faster than steps of ${shown(data.dt * 1e3)} ms `
          + "can follow: its numbers are no longer finite.");
      } else if (isLost()) {
        fail(`After ${shown(m.t)} s it has left the picture: nothing holds it here.`);
      }
      return !lab.failed;
    };
    const advance = (seconds, passed) => {  // of the motion, and of the clock at this speed
      late += seconds;
      const from = m.t, owed = late;
      const end = performance.now() + BUDGET;
      let steps = 0;
      while (late >= data.dt) {
        m.step();
        late -= data.dt;
        if (m.steps % often === 0) follow();
        if (++steps % 8 === 0 && performance.now() > end) break;
      }
      const behind = late > 2 * data.dt || owed < passed;
      const done = behind ? min(1, (m.t - from) / max(passed, owed)) : 1;
      const share = min(1, passed / (lab.speed * SETTLE));
      lab.rate += share * (done - lab.rate);  // what is slower than the clock says so, owes nothing
      if (late > 2 * data.dt) late = 0;
    };
    const tick = (now) => {
      frames = 0;
      if (!lab.running) return;
      const passed = max(now - before, 0) / 1000;
      before = now;
      advance(min(passed, LATE / 1000) * lab.speed, passed * lab.speed);
      if (!sound()) return;
      record();
      show();
      frames = requestAnimationFrame(tick);
    };
    lab.play = () => {
      if (lab.running || lab.failed) return;
      lab.running = wanted = true;
      before = performance.now();
      late = 0;
      label(true);
      if (!frames) frames = requestAnimationFrame(tick);  // one may wait since it was paused
    };
    const rest = () => { lab.running = false; label(false); };
    lab.pause = () => { wanted = false; rest(); };
    lab.step = () => {
      if (lab.failed) return;
      lab.pause();
      m.step();
      follow();
      if (sound()) { record(); show(); }
    };
    lab.reset = () => {
      const again = wanted || lab.failed;
      const done = m.reset();
      lab.failed = false;
      trouble.hidden = true;
      if (!done) {
        return fail("With these numbers the start cannot be put together: take them back first.");
      }
      forget();
      show();
      for (const row of rows) row.show();
      if (again && !VV.still()) lab.play();
    };
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) rest();
      else if (wanted && visible) { lab.running = false; lab.play(); }
    });
    new IntersectionObserver(([entry]) => {  // what is not seen does not run
      visible = entry.isIntersecting;
      if (!visible) rest();
      else if (wanted && !document.hidden) lab.play();
    }).observe(stage);
    addEventListener("beforeprint", rest);
    addEventListener("afterprint", () => { if (wanted && visible) lab.play(); });

    const rates = VV.element("select", { "aria-label": "Speed", title: "Speed" },
      ...SPEEDS.map((x) => VV.element("option", { value: x, selected: x === 1 }, `${x}×`)));
    rates.addEventListener("change", () => { lab.speed = Number(rates.value); });
    box.append(VV.element("div", { class: "player" }, play,
      button("Step", `One step of ${digits(data.dt * 1e3)} ms`, lab.step),
      button("Reset", "Begin again from the start", lab.reset), rates,
      VV.element("span", { class: "hint" }, "Drag a link and let it go, or press the button to let all go."), clock), trouble);

    // ---- what has happened

    const course = [];
    const trace = [];
    let tip = data.tips.length ? data.tips[data.tips.length - 1] : null;
    const forget = () => {
      course.length = 0;
      trace.length = 0;
      record();
    };
    const record = () => {  // what the table says
      m.measure();
      course.push([m.t, m.kinetic, m.potential, m.energy, m.work.hand, m.work.friction]);
      while (course.length > 2 && course[0][0] < m.t - COURSE) course.shift();
    };
    const often = max(1, Math.round(1 / 90 / data.dt));
    const follow = () => {
      if (!tip) return;
      const X = m.places()[tip.carrier - 1];
      const p = X.map((row) => row[0] * tip.point[0] + row[1] * tip.point[1]
        + row[2] * tip.point[2] + row[3]);
      trace.push(p);
      if (trace.length > TRACE) trace.shift();
    };

    // ---- the hand

    const arrow = { from: [0, 0, 0], to: [0, 0, 0], told: 0 };
    let depth = null;
    const pull = (x, y) => {
      const at = viewer.unproject(x, y, depth);
      for (let i = 0; i < 3; i++) m.hand.target[i] = at[i];
    };
    const point = () => {  // the arrow of the hand, as it is now
      const now = m.grip();
      if (!now) return;
      arrow.from.splice(0, 3, ...now.point);  // the viewer has these arrays, and draws them anew
      arrow.to.splice(0, 3, ...m.hand.target);
      if (arrow.told++ % 6 === 0) {  // a number that can be read
        viewer.arrow("hand", arrow.from, arrow.to, { text: `${shown(now.size)} N` });
      }
    };
    viewer.grab = {
      start(x, y) {
        const hit = viewer.pick(x, y, { movable: true, near: GRASP });  // what moves is hard to hit
        if (!hit || lab.failed || !m.canGrab(hit.carrier)) return false;
        const { right, up } = viewer.camera;
        if (!m.grab(hit.carrier, hit.world, [right, up])) {
          VV.say("It cannot be moved this way");
          return false;
        }
        depth = hit.world;
        arrow.told = 0;
        pull(x, y);
        lab.play();
        return true;
      },
      move(x, y) { if (m.hand) pull(x, y); },
      end() {
        m.release();
        viewer.arrow("hand");
      },
      hover(x, y) {
        const hit = viewer.pick(x, y, { movable: true, near: GRASP });
        const over = Boolean(hit && m.canGrab(hit.carrier));
        viewer.canvas.classList.toggle("over", over);
      },
    };
    viewer.canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const act = { " ": play.click.bind(play), ".": lab.step, r: lab.reset, R: lab.reset }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });

    // ---- sliders

    const rows = [];
    const row = (x, read, write) => {
      const scale = x.unit === "rad" ? 180 / PI : 1;
      const id = `l${VV.element.count = (VV.element.count || 0) + 1}`;
      const unit = x.unit === "rad" ? "°" : x.unit;
      const bar = VV.element("input", { type: "range", id, min: x.lower * scale,
        max: x.upper * scale, step: "any", title: x.meaning || x.label });
      const typed = VV.element("input", { type: "number", step: "any",
        "aria-label": `${x.label}, typed` });
      const own = { show() {
        const value = read() * scale;
        bar.value = value;
        bar.setAttribute("aria-valuetext", `${digits(value)} ${unit}`);
        if (document.activeElement !== typed || own.asked) typed.value = digits(value);
        own.asked = false;
      } };
      const act = (text) => {
        const value = Number(text) / scale;
        if (text === "" || !Number.isFinite(value)) return;
        if (write(x.open ? value : min(max(value, x.lower), x.upper)) === false) {
          VV.say("It cannot be put together like this");
        }
        for (const other of rows) other.show();
        if (!lab.running) show();
      };
      bar.addEventListener("input", () => act(bar.value));
      typed.addEventListener("change", () => {  // what was not taken does not stay there
        own.asked = true;
        act(typed.value);
        own.show();
      });
      own.element = VV.element("div", { class: "slider" },
        VV.element("label", { for: id, title: x.meaning || x.label }, x.label,
          ...(x.meaning && x.meaning !== x.label ? [" ", VV.element("small", {}, x.meaning)] : [])),
        bar, typed,
        VV.element("span", { class: "unit" }, unit));
      rows.push(own);
      return own.element;
    };
    const numbers = data.parameters.map((x, k) => row(x, () => m.p[k], (value) => m.set(k, value)));
    numbers.push(row({ label: "added friction", unit: "1/s", lower: 0, upper: STRONGEST,
      meaning: "viscous friction in every joint that the page adds" },
    () => m.damping, (value) => { m.damping = value; }));
    const back = button("As stated", "All numbers as the mechanism has them", () => {
      const values = data.parameters.map((x) => x.value);
      for (let round = 0; round < 3; round++) values.forEach((x, k) => m.p[k] !== x && m.set(k, x));
      m.damping = 0;
      for (const other of rows) other.show();
      if (!lab.running) show();
    });
    const choice = (text, title, read, write) => {
      const input = VV.element("input", { type: "checkbox", checked: read() });
      input.addEventListener("change", () => write(input.checked));
      return VV.element("label", { title }, input, ` ${text}`);
    };
    const choices = [];
    if (mechanism.weight) {
      choices.push(choice("Motors carry the weight",
        "Every joint gets the torque or force that holds its weight and springs", () => m.carried,
        (on) => { m.carried = on; }));
    }
    data.holdable.forEach((x, i) => {
      choices.push(choice(`Hold ${x.label}`,
        `The motor of ${x.name} holds it where it is, as a stiff spring with a damper`,
        () => Boolean(m.held[i]), (on) => m.hold(i, on)));
    });
    if (data.stops.length) {
      choices.push(choice("Limits stop joints", `Limits of ${data.limited.join(", ")}`,
        () => m.stopped, (on) => { m.stopped = on; }));
    }
    if (data.tips.length) {
      const paths = VV.element("select", { "aria-label": "Path of" },
        VV.element("option", { value: -1 }, "none"),
        ...data.tips.map((x, k) => VV.element("option",
          { value: k, selected: x === tip }, x.name)));
      paths.addEventListener("change", () => {
        tip = data.tips[Number(paths.value)] || null;
        trace.length = 0;
        if (!lab.running) show();
      });
      choices.push(VV.element("label", {}, "Path of ", paths));
    }

    // ---- a hand for who has no mouse: pushes

    const pushes = VV.element("div", { class: "pushes" });
    const free = data.tips.filter((x) => m.canGrab(x.carrier));
    if (free.length) {
      const which = VV.element("select", { "aria-label": "What is pushed" },
        ...free.map((x, k) => VV.element("option", { value: k, selected: k === free.length - 1 },
          x.name)));
      const push = (name, sign, axis) => button(name, `Push it ${axis === "right"
        ? sign > 0 ? "to the right" : "to the left" : sign > 0 ? "up" : "down"}`, () => {
        const { carrier, point: r } = free[Number(which.value)];
        const X = m.places()[carrier - 1];
        const at = X.map((x) => x[0] * r[0] + x[1] * r[1] + x[2] * r[2] + x[3]);
        const direction = viewer.camera[axis].map((x) => sign * x);
        if (!m.pushAt(carrier, at, direction, PUSH)) return VV.say("It cannot be moved this way");
        return lab.play();
      });
      pushes.append(VV.element("span", {}, "Push "), which, push("←", -1, "right"),
        push("↑", 1, "up"), push("↓", -1, "up"), push("→", 1, "right"));
    }

    // ---- the account

    const graph = VV.element("canvas", { class: "course", role: "img",
      "aria-label": "Energies over the last ten seconds; the numbers are in the table below" });
    const swatch = (name) => VV.element("span", { class: "swatch",
      style: `background: var(${name})` });
    const cells = {};
    const line = (key, text, colour, kind = "") => {
      cells[key] = VV.element("td", {});
      cells[`${key}-row`] = VV.element("tr", { class: kind },
        VV.element("th", { scope: "row" }, ...(colour ? [swatch(colour)] : []), text), cells[key]);
      return cells[`${key}-row`];
    };
    const total = data.natural ? "Total T + V" : "v·∂L/∂v − L";
    const table = VV.element("table", { class: "account" },
      VV.element("caption", {}, "Energy, in joules"), VV.element("tbody", {},
        line("kinetic", "Kinetic T", "--lab-kinetic"),
        line("potential", "Potential V", "--lab-potential"),
        line("energy", total, "--lab-energy", "sum"),
        line("first", "of it at the start"),
        ...m.kinds.map((kind) => line(kind, WORDS[kind], DYES[kind])),
        line("error", "Left open: error of the steps", "", "sum")));
    const always = new Set(["hand", "friction"]);
    const account = () => {
      const open = m.error();
      cells.kinetic.textContent = shown(m.kinetic);
      cells.potential.textContent = shown(m.potential);
      cells.energy.textContent = shown(m.energy);
      cells.first.textContent = shown(m.first);
      for (const kind of m.kinds) {
        const x = m.work[kind];
        if (x !== 0) always.add(kind);
        cells[kind].textContent = shown(x);
        cells[`${kind}-row`].hidden = !always.has(kind);
      }
      cells.error.textContent = open === 0 ? "0" : powers(open.toExponential(1));
    };

    // ---- the graph of energies

    let colours = {};
    const dye = () => {
      const style = getComputedStyle(box);
      for (const [key, name] of Object.entries(DYES)) {
        colours[key] = style.getPropertyValue(name).trim();
      }
      colours.line = style.getPropertyValue("--strong-line").trim();
      colours.ink = style.getPropertyValue("--faint").trim();
      colours.font = style.fontFamily;
    };
    const canvasColour = (text) => {  // light-dark() is for style sheets only
      const probe = VV.element("span", { style: `color: ${text}` });
      box.append(probe);
      const made = getComputedStyle(probe).color;
      probe.remove();
      return made;
    };
    const redye = () => {
      dye();
      for (const key of Object.keys(colours)) {
        if (key !== "font") colours[key] = canvasColour(colours[key]);
      }
    };
    const plot = () => {
      const ratio = min(max(devicePixelRatio || 1, 1), 3);
      const [w, h] = [graph.clientWidth, graph.clientHeight];
      if (!w || !h) return;
      if (graph.width !== Math.round(w * ratio)) graph.width = Math.round(w * ratio);
      if (graph.height !== Math.round(h * ratio)) graph.height = Math.round(h * ratio);
      const ctx = graph.getContext("2d");
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      ctx.clearRect(0, 0, w, h);
      if (!course.length) return;
      const [left, right, top, bottom] = [46, 4, 6, 16];
      let [low, high] = [0, 0];
      for (const sample of course) {
        for (let i = 1; i < 6; i++) { low = min(low, sample[i]); high = max(high, sample[i]); }
      }
      if (high - low < 1e-12) high = low + 1;
      const end = max(course[course.length - 1][0], COURSE);
      const px = (t) => left + ((t - end + COURSE) / COURSE) * (w - left - right);
      const py = (e) => top + ((high - e) / (high - low)) * (h - top - bottom);
      const unit = 10 ** floor(Math.log10((high - low) / 5));
      const apart = unit * [1, 2, 5, 10].find((x) => (high - low) / (x * unit) <= 6);
      ctx.font = `11px ${colours.font}`;
      ctx.fillStyle = colours.ink;
      ctx.strokeStyle = colours.line;
      ctx.textAlign = "right";
      ctx.textBaseline = "middle";
      for (let e = Math.ceil(low / apart) * apart; e <= high; e += apart) {
        ctx.globalAlpha = abs(e) < apart / 2 ? 0.9 : 0.35;
        ctx.beginPath();
        ctx.moveTo(left, py(e));
        ctx.lineTo(w - right, py(e));
        ctx.stroke();
        ctx.globalAlpha = 1;
        ctx.fillText(abs(e) < apart / 2 ? "0" : `${Number(e.toPrecision(3))}`, left - 6, py(e));
      }
      ctx.textBaseline = "alphabetic";
      for (let t = Math.ceil((end - COURSE) / 2) * 2; t <= end; t += 2) {
        ctx.textAlign = px(t) > w - 24 ? "right" : "center";
        ctx.fillText(`${t} s`, min(px(t), w - right), h - 3);
      }
      ctx.lineJoin = "round";
      ["friction", "hand", "potential", "kinetic", "energy"].forEach((key) => {
        const i = ["", "kinetic", "potential", "energy", "hand", "friction"].indexOf(key);
        ctx.strokeStyle = colours[key];
        ctx.lineWidth = key === "energy" ? 2.2 : 1.5;
        ctx.beginPath();
        for (const s of course) ctx.lineTo(px(s[0]), py(s[i]));
        ctx.stroke();
      });
    };

    // ---- positions

    const places = scene.coordinates.filter((c) => c.kind !== "quaternion"
      && data.speeds[c.index] >= 0).map((c) => row({ ...c, open: true },
      () => m.q[c.index], (value) => {
        const done = m.place(c.index, value);
        forget();
        return done;
      }));
    places.push(...data.rates.map((x) => row({ ...x, open: true }, () => m.v[x.index], (value) => {
      m.rate(x.index, value);
      forget();
    })));
    const asStart = button("Start from here", "Reset begins with this position and velocity", () => {
      data.q = Array.from(m.q);
      data.v = Array.from(m.v);
      lab.pause();
      lab.reset();
      VV.say("Reset begins here now");
    });

    const others = numbers.slice(MOST, -1);
    const more = others.length ? [VV.element("details", { class: "more" }, VV.element("summary", {},
      `${others.length} more number${others.length > 1 ? "s" : ""}…`), ...others)] : [];
    box.append(VV.element("div", { class: "bench" },
      VV.element("div", { class: "sliders" }, VV.element("h3", {}, "Change it"),
        ...numbers.slice(0, min(MOST, numbers.length - 1)), ...more, numbers[numbers.length - 1],
        VV.element("div", { class: "slider last" }, back),
        VV.element("div", { class: "choices" }, ...choices), pushes),
      VV.element("div", {}, VV.element("h3", {}, "The account"), graph, table)));
    if (places.length) {
      box.append(VV.element("details", { class: "fold" },
        VV.element("summary", {}, "Put it into a position, give it a velocity"),
        VV.element("div", { class: "folded" }, VV.element("div", { class: "sliders" }, ...places,
          VV.element("div", { class: "slider last" }, asStart)))));
    }

    // ---- drawing

    let frame = 0;
    const show = () => {
      if (m.hand) point();
      draw();
      const slow = lab.rate < 0.9 ? ` (slowed: ${(lab.rate * lab.speed).toPrecision(2)}×)` : "";
      clock.textContent = `${m.t.toFixed(2)} s${slow}`;
      if (!lab.running || frame++ % 3 === 0) {  // numbers that can be read
        account();
        plot();
        if (lab.running) for (const r of rows.slice(numbers.length)) r.show();
      }
    };
    const look = () => {  // so far away that the motion from the start is seen
      const other = VV.motion(mechanism, data);
      const seen = [Array.from(other.q)];
      const end = performance.now() + GLANCE;
      const every = max(1, Math.round(0.05 / data.dt));
      while (other.t < LOOK && performance.now() < end) {
        for (let k = 0; k < every; k++) other.step();
        if (!other.isFinite()) break;
        seen.push(Array.from(other.q));
      }
      viewer.fit(seen);
    };
    document.addEventListener("vv-theme", () => { redye(); plot(); });
    new ResizeObserver(plot).observe(graph);
    redye();
    look();
    viewer.trace("tip", trace, { width: 1.6 });
    forget();
    for (const r of rows) r.show();
    label(false);
    show();
    return lab;  // at rest: what moves by itself is hard to take hold of
  };

  VV.laboratories = {};
  const start = () => {
    for (const box of document.querySelectorAll("[data-laboratory]")) {
      const name = box.dataset.laboratory;
      VV.laboratories[name] = VV.laboratory(box, VV.data(name), VV.mechanism);
    }
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
