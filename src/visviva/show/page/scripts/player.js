// VV.picture(box, options): a viewer with its buttons, sliders for coordinates, recorded motions.
//
// options = { scene, places, assemble?, motions?: [{ name, t, q, repeats }], sliders?, autoplay? }:
// places(q, t?) gives carriers 1, 2, … as [R | p]; assemble(q, k, t) brings the other coordinates of a
// closed loop along where coordinate k is moved, null where it does not close. Elements
// <div data-picture="name"> are filled from VV.data(name) and VV.functions[name].
"use strict";
(() => {
  const { PI, min, max, sin, floor, abs, hypot } = Math;
  const NAMES = { frame: "Frames", axis: "Joint axes", centre: "Centres of mass",
    inertia: "Inertia", label: "Labels", spring: "Springs", trace: "Paths" };
  const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
  const STEPS = 100;  // of a motion, by the full stop
  const button = (text, title, act) =>
    VV.element("button", { type: "button", title, "aria-label": title, onclick: act }, text);

  VV.picture = (box, options) => {
    const { scene } = options;
    const canvas = VV.element("canvas", { tabindex: "0", role: "img",
      "aria-label": options.alt || scene.name });
    const stage = VV.element("div", { class: "stage" }, canvas);
    box.replaceChildren(stage);
    const q = scene.coordinates.map((c) => c.start);
    const viewer = VV.viewer(canvas, scene, options.places);
    const more = options.more || (() => (scene.timed ? [picture.time] : []));
    const picture = { box, stage, viewer, q, time: 0, changed: [] };
    picture.draw = () => viewer.draw(picture.q, ...more());
    picture.set = (next, from) => {
      for (let k = 0; k < next.length; k++) picture.q[k] = next[k];
      for (const tell of picture.changed) tell(from);
      picture.draw();
    };

    // ---- buttons over the picture

    const tools = VV.element("div", { class: "tools" });
    const parts = Object.keys(NAMES).filter((role) => role in viewer.roles);
    const checks = parts.map((role) => {
      const input = VV.element("input", { type: "checkbox", checked: viewer.roles[role] });
      input.dataset.role = role;
      input.addEventListener("change", () => viewer.show(role, input.checked));
      return VV.element("label", {}, input, ` ${NAMES[role]}`);
    });
    if (checks.length) {
      tools.append(VV.element("details", { class: "parts" },
        VV.element("summary", { title: "What is drawn" }, "Show"),
        VV.element("div", { class: "menu" }, ...checks)));
    }
    if (scene.plane) {
      const tilt = button("3-D", "Look from the side", () => {
        const on = tilt.getAttribute("aria-pressed") !== "true";
        tilt.setAttribute("aria-pressed", String(on));
        viewer.tilt(on);
      });
      tilt.setAttribute("aria-pressed", "false");
      tools.append(tilt);
      picture.flatten = () => tilt.setAttribute("aria-pressed", "false");
    }
    tools.append(button("Reset view", "Look at it as in the beginning", () => {
      viewer.moved = false;
      viewer.home();
      if (picture.flatten) picture.flatten();
    }));
    stage.append(tools);
    document.addEventListener("pointerdown", (event) => {
      const open = tools.querySelector("details[open]");
      if (open && !open.contains(event.target)) open.open = false;
    });

    if (options.motions && options.motions.length) player(picture, options);
    if (options.sliders !== false) sliders(picture, options);
    picture.draw();
    return picture;
  };

  // ---- recorded motions; modes are such that repeat

  const track = ({ name, t, q, repeats }) => ({ name, repeats, first: t[0],
    end: t[t.length - 1] - t[0],
    at(time) {
      const now = t[0] + time;
      let [low, high] = [0, t.length - 1];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (t[middle] <= now) low = middle; else high = middle;
      }
      return between(q[low], q[high], min(max((now - t[low]) / (t[high] - t[low]), 0), 1));
    } });
  const between = (a, b, s) => a.map((x, k) => x + s * (b[k] - x));

  const player = (picture, options) => {
    const { viewer, box } = picture;
    const all = options.motions.map(track);
    let chosen = all[0], time = 0, speed = 1, playing = false, before = 0, frames = 0;
    const quats = quaternions(viewer.scene);
    const play = button("", "Play", () => (playing ? stop() : start()));
    play.classList.add("play");
    const scrub = VV.element("input", { type: "range", min: 0, max: 1000, step: "any", value: 0,
      "aria-label": "Time" });
    const clock = VV.element("output", { class: "clock" });
    const rates = VV.element("select", { "aria-label": "Speed", title: "Speed" },
      ...SPEEDS.map((x) => VV.element("option", { value: x, selected: x === 1 }, `${x}×`)));
    const choice = all.length > 1 ? VV.element("select",
      { class: "tracks", "aria-label": "Motion" },
      ...all.map((x, k) => VV.element("option", { value: k }, x.name))) : "";
    box.append(VV.element("div", { class: "player" }, play, scrub, clock, rates, choice));

    const show = (tell = true) => {
      const q = chosen.at(time);
      for (const k of quats) normalise(q, k);
      picture.time = chosen.first + time; // of points that depend on it
      scrub.value = chosen.end > 0 ? (1000 * time) / chosen.end : 0;
      clock.textContent = `${time.toFixed(2)} s`;
      if (tell) picture.set(q, "player");
    };
    const tick = (now) => {
      frames = 0;
      if (!playing) return;
      time += (speed * min(now - before, 100)) / 1000;
      before = now;
      if (time > chosen.end) {
        time = chosen.repeats ? time % chosen.end : 0;
      }
      show();
      frames = requestAnimationFrame(tick);
    };
    const start = () => {
      playing = true;
      before = performance.now();
      play.classList.add("on");
      play.title = "Pause";
      play.setAttribute("aria-label", "Pause");
      if (!frames) frames = requestAnimationFrame(tick);  // one may wait since it was stopped
    };
    const stop = () => {
      playing = false;
      play.classList.remove("on");
      play.title = "Play";
      play.setAttribute("aria-label", "Play");
    };
    const look = () => {
      const n = 24;
      const positions = Array.from({ length: n + 1 }, (_, k) => chosen.at((chosen.end * k) / n));
      viewer.fit(positions, ...(viewer.scene.timed ? [0] : []));
    };
    scrub.addEventListener("input", () => {
      stop();
      time = (chosen.end * scrub.value) / 1000;
      show();
    });
    rates.addEventListener("change", () => { speed = Number(rates.value); });
    if (choice) {
      choice.addEventListener("change", () => {
        chosen = all[Number(choice.value)];
        time = 0;
        look();
        show();
      });
    }
    viewer.canvas.addEventListener("keydown", (event) => {  // the keys of the laboratory
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const to = (t) => { stop(); time = min(max(t, 0), chosen.end); show(); };
      const act = { " ": () => play.click(), ".": () => to(time + chosen.end / STEPS),
        r: () => to(0), R: () => to(0) }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    });
    picture.changed.push((from) => { if (from !== "player") stop(); });
    document.addEventListener("visibilitychange", () => { before = performance.now(); });
    addEventListener("beforeprint", stop);
    Object.assign(picture, { play: start, pause: stop, playing: () => playing,
      seek: (t) => { time = t; show(); } });
    look();
    show();
    if (options.autoplay && !VV.still()) {
      new IntersectionObserver(([entry], self) => {
        if (entry.isIntersecting) { self.disconnect(); start(); }
      }, { threshold: 0.4 }).observe(picture.stage);
    }
  };

  // ---- sliders: each coordinate, a quaternion by three small turns

  const quaternions = (scene) => {  // where each begins: they may stand side by side, or apart
    const found = [];
    for (const c of scene.coordinates) {
      const last = found[found.length - 1];
      if (c.kind === "quaternion" && !(c.index < last + 4)) found.push(c.index);
    }
    return found;
  };
  const normalise = (q, k) => {
    const n = hypot(q[k], q[k + 1], q[k + 2], q[k + 3]) || 1;
    for (let i = 0; i < 4; i++) q[k + i] /= n;
  };
  const multiplied = ([x, y, z, w], [a, b, c, d]) => [
    w * a + x * d + y * c - z * b, w * b - x * c + y * d + z * a,
    w * c + x * b - y * a + z * d, w * d - x * a - y * b - z * c];

  const sliders = (picture, options) => {
    const { scene } = picture.viewer;
    const rows = [];
    const row = (label, unit, lower, upper, read, write) => {
      const degrees = unit === "rad";
      const scale = degrees ? 180 / PI : 1;
      const id = `s${VV.element.count = (VV.element.count || 0) + 1}`;
      const bar = VV.element("input", { type: "range", id, min: lower * scale, max: upper * scale,
        step: "any" });
      const typed = VV.element("input",
        { type: "number", step: "any", "aria-label": `${label}, typed` });
      const digits = degrees ? 1 : 3;
      const show = (all = false) => {
        const x = read() * scale;
        bar.value = x;
        bar.setAttribute("aria-valuetext", `${x.toFixed(digits)} ${degrees ? "degrees" : unit}`);
        if (document.activeElement !== typed || all) typed.value = String(Number(x.toFixed(digits)));
      };
      const act = (text) => {
        const x = Number(text);
        if (text !== "" && Number.isFinite(x)) write(x / scale);
      };
      bar.addEventListener("input", () => act(bar.value));
      typed.addEventListener("input", () => act(typed.value));
      typed.addEventListener("change", () => show(true));  // what was not taken does not stay there
      rows.push({ show, element: VV.element("div", { class: "slider" },
        VV.element("label", { for: id, title: label }, VV.short(label)), bar, typed,
        VV.element("span", { class: "unit" }, degrees ? "°" : unit)) });
    };
    const move = (k, x) => {
      const q = [...picture.q];
      q[k] = x;
      const closed = options.assemble ? options.assemble(q, k, picture.time, picture.q) : q;
      if (closed) picture.set(closed, "slider");
      else VV.say("The loop does not close there");
    };
    const turned = new Set();
    const quats = quaternions(scene);
    for (const c of scene.coordinates) {
      if (c.kind !== "quaternion") {
        row(c.label || c.name, c.unit, c.lower, c.upper, () => picture.q[c.index],
          (x) => move(c.index, x));
      } else if (quats.includes(c.index) && !turned.has(c.index)) {
        turned.add(c.index);
        const start = c.index;
        const angles = [0, 0, 0];
        let base = picture.q.slice(start, start + 4);
        picture.changed.push((from) => {
          if (from === `turn${start}`) return;
          base = picture.q.slice(start, start + 4);
          angles.fill(0);
        });
        ["x", "y", "z"].forEach((letter, k) => row(`turn ${letter}`, "rad", -PI, PI,
          () => angles[k], (x) => {
            angles[k] = x;
            let turn = base;
            for (let i = 0; i < 3; i++) {
              const about = [0, 0, 0, Math.cos(angles[i] / 2)];
              about[i] = sin(angles[i] / 2);
              turn = multiplied(turn, about);
            }
            const q = [...picture.q];
            for (let i = 0; i < 4; i++) q[start + i] = turn[i];
            const closed = options.assemble ? options.assemble(q, start, picture.time, picture.q) : q;
            if (closed) picture.set(closed, `turn${start}`);
            else VV.say("The loop does not close there");
          }));
      }
    }
    if (!rows.length) return;
    const start = scene.coordinates.map((c) => c.start);
    const back = button("Reset", "The position of the beginning",
      () => picture.set(start, "reset"));
    const body = VV.element("div", { class: "sliders" }, ...rows.map((r) => r.element),
      VV.element("div", { class: "slider last" }, back));
    picture.box.append(rows.length > 8
      ? VV.element("details", { class: "fold" }, VV.element("summary", {},
        `${rows.length} coordinates`), VV.element("div", { class: "folded" }, body))
      : body);
    const update = () => { for (const r of rows) r.show(); };
    picture.changed.push(update);
    update();
  };

  VV.pictures = {};
  VV.functions = VV.functions || {};
  const start = () => {
    for (const box of document.querySelectorAll("[data-picture]")) {
      const name = box.dataset.picture;
      const options = VV.data(name);
      VV.pictures[name] = VV.picture(box, { ...options, ...VV.functions[name] });
    }
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
