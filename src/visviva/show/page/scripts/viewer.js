// VV.viewer(canvas, scene, places): a mechanism on a canvas, seen from where the reader wants.
//
//   viewer.draw(q, ...more)          as places(q, ...more) has it; without arguments again
//   viewer.places                    may be replaced: carriers 1, 2, … as [R | p]
//   viewer.project(p)                [x, y, depth, pixels in a metre] of a point of the world
//   viewer.unproject(x, y, at)       the point under a pixel, as deep as the point `at`
//   viewer.pick(x, y, options)       { shape, carrier, point (of the carrier), world } or null
//   viewer.show(role, on)            a role of shapes; viewer.roles has them all
//   viewer.arrow(name, from, to)     an arrow over the picture; without points it goes away
//   viewer.trace(name, points)       a line through points of the world, likewise
//   viewer.highlight(carrier)        shapes of a carrier lighter, or null
//   viewer.fit(positions), viewer.home(), viewer.tilt(on), viewer.camera
//   viewer.grab = { start(x, y, touch), move(x, y), end() }   takes a drag where start says true
"use strict";
(() => {
  const { dot, add, axis, place, unplace } = VV.vectors;
  const { PI, hypot, min, max, floor, ceil, log10, abs, round } = Math;
  const WORLD = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]];
  const ORDER = ["ground", "loop", "link", "spring", "joint", "point"];  // at one depth
  const HIDDEN = ["frame", "inertia", "label"];  // until the reader wants them
  const CROWDED = ["axis", "centre"], MANY = 8;  // likewise, where there are many bodies
  const FINGER = 16, POINTER = 5;  // pixels around a shape that belong to it

  VV.viewer = (canvas, scene, places) => {
    const context = canvas.getContext("2d");
    const camera = VV.camera(scene);
    const size = scene.size > 0 ? scene.size : 1;
    const many = scene.shapes.filter((s) => s.role === "centre").length > MANY;
    const hidden = many ? [...HIDDEN, ...CROWDED] : HIDDEN;
    const roles = Object.fromEntries(scene.shapes.map((s) =>
      [roleOf(s), !hidden.includes(roleOf(s))]));
    const carriers = [...new Set(scene.shapes.filter((s) => s.role === "link").map(carrierOf))];
    const overlays = { arrows: new Map(), traces: new Map() };
    let poses = [], last = [], pieces = [], light = null, level = 0, asked = false, ratio = 1;
    const viewer = { canvas, scene, camera, places, roles, grab: null, hint: "" };

    // ---- shapes to pieces

    const colourOf = (shape, colours) => {
      if (shape.role === "ground") return colours.ground;
      if (shape.role === "joint") return colours.joint;
      if (shape.role === "spring" || shape.kind === "spring") return colours.metal;
      if (shape.role === "loop") return colours.loop;
      if (shape.role === "axis") return colours.axis;
      if (shape.role === "inertia") return colours.inertia;
      if (shape.role === "trace") return colours.trace;
      if (carrierOf(shape) === 0) return colours.ground;
      const k = carriers.indexOf(carrierOf(shape));
      return colours.links[(k < 0 ? carrierOf(shape) : k) % colours.links.length];
    };
    const build = () => {
      const colours = VV.palette();
      const view = { camera, colours, size, shadows: [] };
      const make = VV.pieces(view);
      const anchor = ([k, p]) => place(poses[k], p);
      scene.shapes.forEach((s, index) => {
        if (!roles[roleOf(s)] || s.kind === "label") return;
        const from = make.pieces.length;
        const X = poses[s.on || 0];
        let colour = colourOf(s, colours);
        if (light !== null && carrierOf(s) === light) colour = brighter(colour);
        if (s.kind === "segment" && s.role === "axis") {
          make.line(s, [anchor(s.a), anchor(s.b)], colour, 1.3, [9, 3, 2, 3], true);
        } else if (s.kind === "segment") make.bar(s, anchor(s.a), anchor(s.b), s.radius, colour);
        else if (s.kind === "spring") {
          make.spring(s, anchor(s.a), anchor(s.b), s.radius, s.turns || 8, colour);
        } else if (s.kind === "box" || s.kind === "cylinder") make.faceted(s, X, colour, 1);
        else if (s.kind === "mesh_box") make.faceted(s, X, colour, 0.4);
        else if (s.kind === "ellipsoid") {
          make.ellipsoid(s, X, s.pose, s.radii, colour, s.role === "inertia" ? 0.22 : 1);
        } else if (s.kind === "sphere" && s.role === "centre") {
          make.centre(s, place(X, s.at), s.radius);
        } else if (s.kind === "sphere") {
          const pose = [1, 0, 0, s.at[0], 0, 1, 0, s.at[1], 0, 0, 1, s.at[2]];
          make.ellipsoid(s, X, pose, [s.radius, s.radius, s.radius], colour, 1);
        } else if (s.kind === "disc") make.disc(s, X, s.pose, s.radius, colour);
        else if (s.kind === "frame") {
          for (let k = 0; k < 3; k++) {
            const tip = make.within(s.pose, axis(k).map((x) => x * s.length));
            make.arrow(s, place(X, make.within(s.pose, [0, 0, 0])), place(X, tip),
              colours.frame[k], 2, true);
          }
        } else if (s.kind === "arrow") {
          make.arrow(s, place(X, s.at), place(X, add(s.at, s.along)), colour,
            s.role === "axis" ? 1.6 : 2.4, true);
        } else if (s.kind === "path") {
          const points = s.closed ? [...s.points, s.points[0]] : s.points;
          make.line(s, points.map((p) => place(X, p)), colour, 2, null, s.role === "trace");
        }
        const later = (ORDER.indexOf(s.role) + 1) * 2e-3 * size + index * 1e-7 * size;
        for (const piece of make.pieces.slice(from)) piece.z += later;
      });
      for (const { points, colour, width } of overlays.traces.values()) {
        const shown = colour || colours.trace;
        if (points.length > 1) make.line(null, points, shown, width || 1.8, null, true);
      }
      for (const { from, to, colour, text } of overlays.arrows.values()) {
        make.arrow(null, from, to, colour || colours.loop, 3, true, text);
      }
      pieces = make.pieces.sort((a, b) => (a.z < b.z ? -1 : a.z > b.z ? 1 : 0));
      return view;
    };

    // ---- the floor

    const backdrop = (view) => {
      const { colours } = view;
      const wanted = camera.reach / camera.zoom / 2.2;
      const power = 10 ** floor(log10(wanted));
      const step = power * (wanted / power >= 5 ? 5 : wanted / power >= 2 ? 2 : 1);
      viewer.step = step;
      const [i, j] = camera.flat ? scene.plane : [0, 1];
      const depth = camera.flat ? null : level;
      const reach = camera.flat
        ? (0.5 * hypot(camera.width, camera.height)) / camera.scale
        : (3.2 * camera.reach) / min(camera.zoom, 1);
      const middle = [camera.target[i], camera.target[j]].map((x) => round(x / step) * step);
      const at = (a, b) => {
        const p = depth === null ? [...camera.target] : [0, 0, depth];
        p[i] = a;
        p[j] = b;
        return p;
      };
      const lines = ceil(reach / step);
      for (const turned of [false, true]) {
        for (let k = -lines; k <= lines; k++) {
          const value = middle[turned ? 1 : 0] + k * step;
          const fade = camera.flat ? 1 : max(0, 1 - (abs(k) * step) / reach);
          const strong = abs(value) < step / 1e3;
          const alpha = (strong ? 0.28 : 0.11) * fade;
          if (alpha < 0.01) continue;
          const parts = camera.flat ? 1 : 8;  // which fade towards their ends
          for (let m = 0; m < parts; m++) {
            const half = middle[turned ? 0 : 1];
            const [u, v] = [m, m + 1].map((x) => half + reach * ((2 * x) / parts - 1));
            const faded = camera.flat ? 1 : 1 - abs((u + v) / 2 - half) / reach;
            const ends = (turned ? [at(u, value), at(v, value)] : [at(value, u), at(value, v)])
              .map(camera.project);
            if (ends.includes(null)) continue;
            VV.stroked(context, ends, `rgba(${colours.grid},${(alpha * faded).toFixed(3)})`, 1);
          }
        }
      }
      if (!camera.flat && camera.pitch > 0.05) shadow(view);
    };
    const shadow = ({ shadows, colours }) => {
      const path = new Path2D();
      const outline = (points) => {
        const seen = points.map(camera.project);
        if (seen.includes(null)) return;
        const turn = seen.reduce((s, p, k) => {
          const n = seen[(k + 1) % seen.length];
          return s + p[0] * n[1] - n[0] * p[1];
        }, 0);
        if (turn < 0) seen.reverse();  // all turn alike: what overlaps is no darker
        seen.forEach((p, k) => (k ? path.lineTo(p[0], p[1]) : path.moveTo(p[0], p[1])));
        path.closePath();
      };
      for (const { a, b, radius } of shadows) {
        if (max(a[2], b[2]) < level) continue;
        const d = [b[0] - a[0], b[1] - a[1]];
        const long = hypot(...d);
        const n = long > 0 ? [(-d[1] / long) * radius, (d[0] / long) * radius] : [0, 0];
        if (long > 0) {
          outline([[a[0] + n[0], a[1] + n[1], level], [b[0] + n[0], b[1] + n[1], level],
            [b[0] - n[0], b[1] - n[1], level], [a[0] - n[0], a[1] - n[1], level]]);
        }
        for (const e of [a, b]) {
          outline(Array.from({ length: 16 }, (_, k) => [e[0] + radius * Math.cos((PI * k) / 8),
            e[1] + radius * Math.sin((PI * k) / 8), level]));
        }
      }
      context.fillStyle = colours.shadow;
      context.fill(path);
    };

    // ---- labels, where they do not cover each other

    const labels = ({ colours }) => {
      const taken = [];
      for (const s of scene.shapes) {
        if (s.kind !== "label" || !roles.label) continue;
        const p = camera.project(place(poses[s.on], s.at));
        if (!p) continue;
        const [x, y] = [p[0] + 8, p[1] - 9];
        const width = 7 * min(s.text.length, 40);
        const free = taken.every(([a, b, w]) => abs(b - y) > 13 || a > x + width || a + w < x);
        if (!free) continue;
        taken.push([x, y, VV.written(context, s.text, x, y, colours)]);
      }
    };

    // ---- in a corner: where the axes of the world point, how wide the grid is

    const legend = ({ colours }) => {
      const [x, y, long] = [30, camera.height - 30, 20];
      const arms = [0, 1, 2].map((k) => ({ k, z: dot(camera.back, axis(k)),
        tip: [x + long * dot(camera.right, axis(k)), y - long * dot(camera.up, axis(k))] }));
      for (const { k, z, tip } of arms.sort((a, b) => a.z - b.z)) {
        if (camera.flat && abs(z) > 0.9) continue;
        VV.stroked(context, [[x, y], tip], colours.frame[k], 2);
        VV.written(context, "xyz"[k], x + 1.4 * (tip[0] - x), y + 1.4 * (tip[1] - y), colours, 11,
          colours.frame[k], "center");
      }
      const shown = viewer.step >= 1 ? `${viewer.step} m` : viewer.step >= 0.01
        ? `${round(viewer.step * 100)} cm` : `${Number((viewer.step * 1000).toPrecision(2))} mm`;
      VV.written(context, `grid ${shown}`, camera.width - 12, camera.height - 14, colours, 11,
        colours.soft, "right");
    };

    // ---- drawing

    // Whether there is room to draw: in a part that is folded there is none
    const fitCanvas = () => {
      const { clientWidth, clientHeight } = canvas;
      if (!clientWidth || !clientHeight) return false;
      ratio = min(max(window.devicePixelRatio || 1, 1), 3);
      const [w, h] = [round(clientWidth * ratio), round(clientHeight * ratio)];
      if (canvas.width !== w || canvas.height !== h) {
        canvas.width = w;
        canvas.height = h;
      }
      if (camera.width !== clientWidth || camera.height !== clientHeight) {
        camera.width = clientWidth;
        camera.height = clientHeight;
        camera.turned();
      }
      return true;
    };
    const paint = () => {
      if (!fitCanvas()) return;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, camera.width, camera.height);
      const view = build();
      backdrop(view);
      for (const piece of pieces) piece.draw(context);
      labels(view);
      legend(view);
      viewer.drawn = (viewer.drawn || 0) + 1;
    };
    const posed = (q, more) => [WORLD, ...viewer.places(q, ...more)];
    viewer.draw = (...given) => {
      if (given.length) last = given;
      poses = posed(last[0], last.slice(1));
      paint();
    };
    viewer.redraw = () => {  // with the next frame
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => { asked = false; if (poses.length) paint(); });
    };
    viewer.poses = () => poses;
    viewer.q = () => last[0];

    // ---- what the reader chooses

    viewer.project = camera.project;
    viewer.unproject = camera.unproject;
    viewer.show = (role, on) => { roles[role] = on; viewer.redraw(); };
    viewer.arrow = (name, from, to, options = {}) => {
      if (from) overlays.arrows.set(name, { from, to, ...options });
      else overlays.arrows.delete(name);
      viewer.redraw();
    };
    viewer.trace = (name, points, options = {}) => {
      if (points) overlays.traces.set(name, { points, ...options });
      else overlays.traces.delete(name);
      viewer.redraw();
    };
    viewer.highlight = (carrier) => {
      if (light !== carrier) { light = carrier; viewer.redraw(); }
    };
    const outline = (poses, still) => {
      const found = [];
      for (const s of scene.shapes) {
        if ((s.role === "ground") !== still || ["axis", "label"].includes(roleOf(s))
          || (s.role === "inertia" && !roles.inertia)) continue;
        if (s.a) found.push(place(poses[s.a[0]], s.a[1]), place(poses[s.b[0]], s.b[1]));
        else if (s.pose) {
          const half = s.kind === "cylinder" ? hypot(s.radius, s.length / 2) : s.radius
            || (s.radii ? max(...s.radii) : s.size ? hypot(...s.size) / 2 : 0);
          const p = place(poses[s.on], [s.pose[3], s.pose[7], s.pose[11]]);
          for (let k = 0; k < 3; k++) found.push(add(p, axis(k), half), add(p, axis(k), -half));
        } else if (s.points) found.push(...s.points.map((p) => place(poses[s.on], p)));
        else if (s.at) found.push(place(poses[s.on], s.at));
      }
      return found.filter((p) => p.every(Number.isFinite));
    };
    // points that a picture of these positions shows: all that moves, and of what stands still what
    // is near, as a rail may be long; what flies far away is left out
    const around = (positions, more) => {
      const far = 5 * max(scene.radius, 0.2 * size);
      const moving = positions.flatMap((q) => outline(posed(q, more), false))
        .filter((p) => hypot(...add(p, scene.center, -1)) < far);
      const still = outline(posed(positions[0], more), true);
      if (!moving.length) return still;
      const [low, high] = [min, max].map((f) =>
        [0, 1, 2].map((k) => moving.reduce((x, p) => f(x, p[k]), moving[0][k])));
      const room = 0.15 * hypot(...add(high, low, -1));
      return [...moving, ...still.filter((p) =>
        p.every((x, k) => x > low[k] - room && x < high[k] + room))];
    };
    let shown = null;
    viewer.fit = (positions, ...more) => {
      const start = scene.coordinates.map((c) => c.start);
      const points = around(positions.length ? positions : [start], more);
      shown = points.length ? points : [add(scene.center, [1, 1, 1], scene.radius || size),
        add(scene.center, [1, 1, 1], -(scene.radius || size))];
      const low = shown.reduce((x, p) => min(x, p[2]), Infinity);
      level = low < -0.12 * scene.radius || low > 0.5 * scene.radius ? low - 0.01 * size : 0;
      viewer.home();
    };
    viewer.home = () => {
      fitCanvas();
      Object.assign(camera, VV.camera.home, { flat: Boolean(scene.plane) });
      camera.turned();
      if (shown) camera.fit(shown);
      viewer.redraw();
    };
    viewer.tilt = (on) => {  // a mechanism in a plane, seen from the side
      if (!scene.plane) return;
      camera.flat = !on;
      if (on) {
        const normal = camera.back;
        camera.yaw = Math.atan2(normal[1], normal[0]) + 0.5;
        camera.pitch = Math.asin(min(max(normal[2], -1), 1)) * 0.7 + 0.3;
      }
      camera.turned();
      viewer.redraw();
    };

    // ---- what is under the pointer

    viewer.pick = (x, y, { movable = false, touch = false, near = touch ? FINGER : POINTER } = {}) => {
      let best = null;
      for (let k = pieces.length - 1; k >= 0; k--) {
        const piece = pieces[k];
        if (!piece.shape || piece.over || (movable && !movers(piece.shape).length)) continue;
        const distance = piece.hit(x, y);
        if (distance <= near && (!best || distance < best.distance - 0.5)) {
          best = { distance, piece };
          if (distance === 0) break;
        }
      }
      if (!best) return null;
      const { shape, z, front = 0 } = best.piece;
      const deep = add(camera.target, camera.back, z - front);
      let world = camera.unproject(x, y, deep);
      let carrier = shape.on;
      if (shape.a) {  // a point of its axis, on the carrier of the nearer end that moves
        const [a, b] = [shape.a, shape.b].map(([k, p]) => place(poses[k], p));
        const d = add(b, a, -1);
        const t = min(max(dot(add(world, a, -1), d) / (dot(d, d) || 1), 0), 1);
        world = add(a, d, t);
        const [first, second] = [shape.a[0], shape.b[0]];
        carrier = t < 0.5 ? first : second;
        if (movable && carrier === 0) carrier = first || second;
      }
      return { shape, carrier, world, point: unplace(poses[carrier], world) };
    };

    VV.controls(viewer);
    document.addEventListener("vv-theme", () => { if (poses.length) paint(); });
    new ResizeObserver(() => {
      if (!poses.length || !fitCanvas()) return;
      if (shown && !viewer.moved) camera.fit(shown);
      paint();
    }).observe(canvas);
    viewer.fit([scene.coordinates.map((c) => c.start)], ...(scene.timed ? [0] : []));
    return viewer;
  };

  const roleOf = (s) => (s.kind === "label" ? "label" : s.role);
  const carrierOf = (s) => (s.a ? s.a[0] || s.b[0] : s.on);
  const movers = (s) => (s.a ? [s.a[0], s.b[0]] : [s.on]).filter((k) => k > 0);
  const brighter = (hex) => "#" + [1, 3, 5].map((k) =>
    round(parseInt(hex.slice(k, k + 2), 16) * 0.6 + 255 * 0.4).toString(16).padStart(2, "0"))
    .join("");
})();
