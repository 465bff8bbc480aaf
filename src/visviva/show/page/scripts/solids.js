// Shapes of a scene as what a painter paints: pieces with a depth, far ones first.
"use strict";
(() => {
  const { dot, cross, add, unit, place } = VV.vectors;
  const { PI, hypot, min, max, ceil, sqrt, abs, atan2, sin, cos } = Math;

  // ---- colours

  const PALETTES = {
    light: { links: ["#4f83c4", "#e08a4f", "#55a678", "#a277c6", "#d0a53c", "#4aa5b5", "#cf6f86",
      "#8b94a3"],
      ground: "#aab4c0", joint: "#5d6b7c", metal: "#7d8a99", loop: "#c7503a", ink: "#1b2430",
      soft: "#57626f", paper: "#ffffff", grid: "70,90,120", shadow: "rgba(30,45,70,.075)",
      axis: "#7b5ea7", inertia: "#3b7dd8", trace: "#d1495b",
      frame: ["#d64541", "#2e9e5b", "#2f6fdb"], edge: 0.55 },
    dark: { links: ["#6d9fdd", "#e9a06b", "#6dbf91", "#b891db", "#dfbb5b", "#62bccb", "#e08aa0",
      "#a3acba"],
      ground: "#5d6875", joint: "#98a5b5", metal: "#a8b4c2", loop: "#ff8a70", ink: "#e6e8ec",
      soft: "#a4acb8", paper: "#14171c", grid: "150,170,200", shadow: "rgba(0,0,0,.28)",
      axis: "#c3a6ee", inertia: "#7fb0ff", trace: "#ff8791",
      frame: ["#ff7d78", "#5fd08c", "#7fb0ff"], edge: 0.45 },
  };
  const channels = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
  const shades = new Map();
  // a colour with so much light: 1 as it is, 0 black, above 1 towards white
  const lit = (hex, light, alpha = 1) => {
    const key = `${hex}${light.toFixed(2)}${alpha}`;
    if (!shades.has(key)) {
      const [r, g, b] = channels(hex).map((c) => Math.round(
        light <= 1 ? c * light : c + (255 - c) * min(light - 1, 1)));
      shades.set(key, `rgba(${r},${g},${b},${alpha})`);
    }
    return shades.get(key);
  };
  VV.palette = () => PALETTES[VV.dark() ? "dark" : "light"];
  VV.lit = lit;

  // ---- solids in their own axes, made once: corners and faces

  const made = new Map();
  const solid = (shape) => {
    if (!made.has(shape)) made.set(shape, SOLIDS[shape.kind](shape));
    return made.get(shape);
  };
  const within = (pose, p) => [0, 4, 8].map((k) =>
    pose[k] * p[0] + pose[k + 1] * p[1] + pose[k + 2] * p[2] + pose[k + 3]);
  const ring = (n, r, z) => Array.from({ length: n }, (_, k) =>
    [r * cos((2 * PI * k) / n), r * sin((2 * PI * k) / n), z]);
  const FACES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4],
    [1, 5, 7, 3]];
  const box = ({ pose, size }) => {
    const corners = Array.from({ length: 8 }, (_, k) =>
      [4, 2, 1].map((bit, i) => (k & bit ? 0.5 : -0.5) * size[i]));
    return { points: corners.map((p) => within(pose, p)), faces: FACES, edged: true };
  };
  const cylinder = ({ pose, radius, length }) => {
    const n = 24;
    const rows = min(max(1, Math.round(length / (3 * radius))), 8);  // long ones in several
    const all = Array.from({ length: n }, (_, k) => k);
    const levels = Array.from({ length: rows + 1 }, (_, m) => length * (m / rows - 0.5));
    const points = levels.flatMap((z) => ring(n, radius, z));
    const sides = Array.from({ length: rows }, (_, m) => all.map((k) =>
      [k, (k + 1) % n, n + ((k + 1) % n), n + k].map((i) => i + m * n))).flat();
    return { points: points.map((p) => within(pose, p)),
      faces: [...sides, [...all].reverse(), all.map((k) => rows * n + k)], round: rows * n };
  };
  const SOLIDS = { box, mesh_box: box, cylinder };

  // ---- pieces: { z, draw(ctx), hit(x, y), shape } for one view; z is the depth of what is seen of
  // it, `front` how far that is before its axis or middle

  VV.pieces = (view) => {
    const { camera, colours } = view;
    const light = unit(add(add(camera.back, camera.right, -0.45), camera.up, 0.75));
    const shadeOf = (normal) => 0.62 + 0.48 * max(0, dot(normal, light));
    const pieces = [];
    const put = (piece) => { pieces.push(piece); return piece; };

    const polygon = (points, z, shape, fill, stroke) => put({ z, shape, points,
      draw(ctx) {
        ctx.beginPath();
        points.forEach((p, k) => (k ? ctx.lineTo(p[0], p[1]) : ctx.moveTo(p[0], p[1])));
        ctx.closePath();
        ctx.fillStyle = fill;
        ctx.fill();
        if (!stroke) return;
        ctx.lineWidth = 0.9;
        ctx.lineJoin = "round";
        ctx.strokeStyle = stroke;
        ctx.stroke();
      },
      hit(x, y) {
        let inside = false;
        for (let i = 0, j = points.length - 1; i < points.length; j = i++) {
          const [a, b] = [points[i], points[j]];
          if ((a[1] > y) !== (b[1] > y)
            && x < ((b[0] - a[0]) * (y - a[1])) / (b[1] - a[1]) + a[0]) inside = !inside;
        }
        return inside ? 0 : Infinity;
      } });

    const faceted = (shape, X, colour, alpha) => {
      const { points, faces, edged, round } = solid(shape);
      const world = points.map((p) => place(X, p));
      const seen = world.map(camera.project);
      if (seen.includes(null)) return;
      faces.forEach((face, k) => {
        const [a, b, c] = face.map((i) => world[i]);
        const normal = unit(cross(add(b, a, -1), add(c, a, -1)));
        const middle = face.reduce((s, i) => add(s, world[i], 1 / face.length), [0, 0, 0]);
        if (dot(normal, camera.towards(middle)) <= 0 && alpha === 1) return;
        const shown = lit(colour, shadeOf(normal), alpha);
        const flat = edged || k >= round;
        const line = flat ? lit(colour, colours.edge, alpha === 1 ? 0.75 : 0.5) : shown;
        const z = dot(camera.back, add(middle, camera.target, -1));
        polygon(face.map((i) => seen[i]), z, shape, shown, alpha === 1 || edged ? line : null);
      });
    };

    // A round bar, in pieces so that it passes behind and before what it crosses
    const bar = (shape, a, b, radius, colour) => {
      const d = add(b, a, -1);
      const length = hypot(...d);
      const [pa, pb] = [camera.project(a), camera.project(b)];
      if (!pa || !pb) return;
      const deep = abs(dot(camera.back, d));
      const n = min(max(1, ceil(deep / radius)), 40);  // no piece much deeper than thick
      const front = radius * sqrt(max(0, 1 - (deep / (length || 1)) ** 2));  // of its axis
      const [dx, dy] = [pb[0] - pa[0], pb[1] - pa[1]];
      const flat = hypot(dx, dy);
      const [tx, ty] = flat > 1e-6 ? [dx / flat, dy / flat] : [1, 0];
      const upper = tx * 0.55 - ty * 0.83 > 0 ? 1 : -1;  // the side of the light
      const [nx, ny] = [upper * ty, -upper * tx];
      const axisLight = length > 0 ? dot(unit(d), light) : 0;
      const most = 0.75 + 0.42 * sqrt(max(0, 1 - axisLight * axisLight));
      const fill = (ctx, p, r) => {
        const [x, y] = [nx * r, ny * r];
        const g = ctx.createLinearGradient(p[0] + x, p[1] + y, p[0] - x, p[1] - y);
        g.addColorStop(0, lit(colour, 0.86 * most));
        g.addColorStop(0.28, lit(colour, most));
        g.addColorStop(1, lit(colour, 0.52 * most));
        return g;
      };
      const edge = lit(colour, colours.edge, 0.8);
      const at = (k) => camera.project(add(a, d, k / n));
      const width = (p) => max(radius * p[3], 1);
      const cap = (p, away) => {
        const r = width(p);
        const angle = atan2(away * ty, away * tx);
        put({ z: p[2] + front - 1e-5 * view.size, shape, front,
          draw(ctx) {
            ctx.beginPath();
            ctx.arc(p[0], p[1], r, 0, 2 * PI);
            ctx.fillStyle = fill(ctx, p, r);
            ctx.fill();
            ctx.beginPath();
            if (flat > 2) ctx.arc(p[0], p[1], r, angle - PI / 2, angle + PI / 2);
            else ctx.arc(p[0], p[1], r, 0, 2 * PI);
            ctx.lineWidth = 0.9; ctx.strokeStyle = edge; ctx.stroke();
          },
          hit: (x, y) => max(0, hypot(x - p[0], y - p[1]) - r) });
      };
      cap(pa, -1);
      cap(pb, 1);
      for (let k = 0; k < n; k++) {
        const [p, q] = [at(k), at(k + 1)];
        if (!p || !q) continue;
        const [r, s] = [width(p), width(q)];
        const over = k + 1 < n ? 0.4 : 0;  // no gap between pieces
        const [qx, qy] = [q[0] + over * tx, q[1] + over * ty];
        const ends = [[p[0] + nx * r, p[1] + ny * r], [qx + nx * s, qy + ny * s],
          [qx - nx * s, qy - ny * s], [p[0] - nx * r, p[1] - ny * r]];
        put({ z: (p[2] + q[2]) / 2 + front, shape, front,
          draw(ctx) {
            ctx.beginPath();
            ends.forEach((e, i) => (i ? ctx.lineTo(e[0], e[1]) : ctx.moveTo(e[0], e[1])));
            ctx.closePath();
            ctx.fillStyle = fill(ctx, p, max(r, s));
            ctx.fill();
            ctx.beginPath();
            ctx.moveTo(...ends[0]); ctx.lineTo(...ends[1]);
            ctx.moveTo(...ends[2]); ctx.lineTo(...ends[3]);
            ctx.lineWidth = 0.9; ctx.strokeStyle = edge; ctx.stroke();
          },
          hit(x, y) {
            const [ex, ey] = [q[0] - p[0], q[1] - p[1]];
            const along = ((x - p[0]) * ex + (y - p[1]) * ey) / (ex * ex + ey * ey || 1);
            const t = min(max(along, 0), 1);
            return max(0, hypot(x - p[0] - t * ex, y - p[1] - t * ey) - (r + t * (s - r)));
          } });
      }
      view.shadows.push({ a, b, radius });
    };

    // An ellipsoid: the ellipse that it covers, shaded as a ball, and its three great circles
    const ellipsoid = (shape, X, pose, radii, colour, alpha) => {
      const middle = place(X, [pose[3], pose[7], pose[11]]);
      const p = camera.project(middle);
      if (!p) return;
      const half = [0, 1, 2].map((j) => {  // its semi-axes in the world
        const e = within(pose, [0, 1, 2].map((i) => (i === j ? radii[j] : 0)));
        return add(place(X, e), middle, -1);
      });
      const [ax, ay] = [half.map((h) => p[3] * dot(camera.right, h)),
        half.map((h) => -p[3] * dot(camera.up, h))];
      const [xx, xy, yy] = [dot(ax, ax), dot(ax, ay), dot(ay, ay)];
      const mean = (xx + yy) / 2;
      const spread = hypot((xx - yy) / 2, xy);
      const [long, short] = [sqrt(mean + spread), sqrt(max(mean - spread, 1e-6))];
      const turn = 0.5 * atan2(2 * xy, xx - yy);
      const circles = alpha < 1 ? [0, 1, 2].map((j) =>
        greatCircle(half[(j + 1) % 3], half[(j + 2) % 3], p)) : [];
      const front = hypot(...half.map((h) => dot(camera.back, h)));
      const over = alpha < 1;  // seen through all else
      put({ z: over ? 1e6 * view.size : p[2] + front, shape, front, over,
        draw(ctx) {
          ctx.save();
          ctx.translate(p[0], p[1]);
          ctx.rotate(turn);
          ctx.scale(long, short);
          const lx = -0.4 * cos(turn) - 0.45 * sin(turn);  // the light, in the turned axes
          const ly = 0.4 * sin(turn) - 0.45 * cos(turn);
          const g = ctx.createRadialGradient(lx, ly, 0.05, lx * 0.4, ly * 0.4, 1.25);
          g.addColorStop(0, lit(colour, 1.28, alpha));
          g.addColorStop(0.5, lit(colour, 0.95, alpha));
          g.addColorStop(1, lit(colour, 0.5, alpha));
          ctx.beginPath();
          ctx.arc(0, 0, 1, 0, 2 * PI);
          ctx.fillStyle = g;
          ctx.fill();
          ctx.restore();
          ctx.beginPath();
          ctx.ellipse(p[0], p[1], long, short, turn, 0, 2 * PI);
          ctx.lineWidth = alpha < 1 ? 1.2 : 0.9;
          ctx.strokeStyle = lit(colour, alpha < 1 ? 0.9 : colours.edge, 0.8);
          ctx.stroke();
          for (const line of circles) stroked(ctx, line, lit(colour, 0.9, 0.55), 0.9);
        },
        hit(x, y) {
          const [dx, dy] = [x - p[0], y - p[1]];
          const u = (cos(turn) * dx + sin(turn) * dy) / long;
          const v = (-sin(turn) * dx + cos(turn) * dy) / short;
          return max(0, (hypot(u, v) - 1) * short);
        } });
      if (alpha === 1) view.shadows.push({ a: middle, b: middle, radius: max(...radii) * 0.8 });
    };
    // the half of a great circle that is in front
    const greatCircle = (u, v, p) => {
      const [du, dv] = [dot(camera.back, u), dot(camera.back, v)];
      const start = atan2(dv, du) - PI / 2;
      return Array.from({ length: 25 }, (_, k) => {
        const t = start + (PI * k) / 24;
        const e = [0, 1, 2].map((i) => cos(t) * u[i] + sin(t) * v[i]);
        return [p[0] + p[3] * dot(camera.right, e), p[1] - p[3] * dot(camera.up, e)];
      });
    };

    const disc = (shape, X, pose, radius, colour) => {
      const n = 40;
      const rim = ring(n, radius, 0).map((p) => place(X, within(pose, p)));
      const hub = place(X, within(pose, [0, 0, 0]));
      const seen = [...rim, hub].map(camera.project);
      if (seen.includes(null)) return;
      let normal = unit(cross(add(rim[0], hub, -1), add(rim[n / 4], hub, -1)));
      if (dot(normal, camera.towards(hub)) < 0) normal = normal.map((x) => -x);
      const c = seen[n];
      const flat = polygon(seen.slice(0, n), c[2], shape, lit(colour, shadeOf(normal), 0.62),
        lit(colour, colours.edge));
      const fill = flat.draw;
      flat.draw = (ctx) => {  // spokes show that it turns
        fill(ctx);
        for (let k = 0; k < n; k += n / 4) {
          stroked(ctx, [c, seen[k]], lit(colour, colours.edge, k ? 0.35 : 0.9), k ? 1 : 2);
        }
      };
      view.shadows.push({ a: hub, b: hub, radius: 0.6 * radius });
    };

    // A coil, half a turn a piece
    const spring = (shape, a, b, radius, turns, colour) => {
      const d = add(b, a, -1);
      const length = hypot(...d);
      if (!(length > 0)) return;
      const t = unit(d);
      const u = unit(cross(t, abs(t[2]) < 0.8 ? [0, 0, 1] : [1, 0, 0]));
      const v = cross(t, u);
      const [steps, plain] = [16, 0.1];  // in a turn; straight part at each end
      const points = [a];
      for (let k = 0; k <= turns * steps; k++) {
        const s = k / (turns * steps);
        const angle = 2 * PI * turns * s;
        const r = radius * min(1, 8 * s, 8 * (1 - s));
        const along = (plain + (1 - 2 * plain) * s) * length;
        points.push([0, 1, 2].map((i) =>
          a[i] + along * t[i] + r * (cos(angle) * u[i] + sin(angle) * v[i])));
      }
      points.push(b);
      const seen = points.map(camera.project);
      if (seen.includes(null)) return;
      const thick = min(max(0.22 * radius * seen[0][3], 1.4), 4);
      const middle = dot(camera.back, add(add(a, d, 0.5), camera.target, -1));
      for (let k = 0; k < seen.length - 1; k += steps / 4) {
        const line = seen.slice(k, k + steps / 4 + 1);
        const z = line[line.length >> 1][2];
        const shade = z >= middle ? 1.12 : 0.72;
        put({ z, shape,
          draw(ctx) {
            stroked(ctx, line, lit(colour, colours.edge * 0.9), thick + 1.3);
            stroked(ctx, line, lit(colour, shade), thick);
          },
          hit: (x, y) => min(...line.map((p) => hypot(x - p[0], y - p[1]))) });
      }
    };

    const line = (shape, points, colour, width, dash, over) => {
      const seen = points.map(camera.project);
      if (seen.includes(null)) return;
      const z = seen.reduce((s, p) => s + p[2], 0) / seen.length;
      put({ z: over ? Infinity : z, shape, over,
        draw(ctx) { stroked(ctx, seen, colour, width, dash); },
        hit: () => Infinity });
    };

    const arrow = (shape, from, to, colour, width, over, text) => {
      const [p, q] = [from, to].map(camera.project);
      if (!p || !q) return;
      put({ z: over ? Infinity : (p[2] + q[2]) / 2, shape, over,
        draw(ctx) {
          const [dx, dy] = [q[0] - p[0], q[1] - p[1]];
          const long = hypot(dx, dy);
          if (long < 0.5) return;
          const head = min(4 + 2.6 * width, 0.6 * long);
          const [tx, ty] = [dx / long, dy / long];
          const [ex, ey] = [q[0] - head * tx, q[1] - head * ty];
          stroked(ctx, [p, [ex, ey]], colour, width);
          ctx.beginPath();
          ctx.moveTo(q[0], q[1]);
          ctx.lineTo(ex - 0.42 * head * ty, ey + 0.42 * head * tx);
          ctx.lineTo(ex + 0.42 * head * ty, ey - 0.42 * head * tx);
          ctx.closePath();
          ctx.fillStyle = colour;
          ctx.fill();
          if (text) VV.written(ctx, text, q[0] + 7 * tx, q[1] + 7 * ty, colours, 11, colour);
        },
        hit: () => Infinity });
    };

    // The mark of a centre of mass: a quartered circle, of one size
    const centre = (shape, at, radius) => {
      const p = camera.project(at);
      if (!p) return;
      const r = min(max(radius * p[3], 4), 8);
      put({ z: Infinity, shape, over: true,
        draw(ctx) {
          ctx.beginPath();
          ctx.arc(p[0], p[1], r, 0, 2 * PI);
          ctx.fillStyle = colours.paper;
          ctx.fill();
          ctx.fillStyle = colours.ink;
          for (const start of [-PI / 2, PI / 2]) {
            ctx.beginPath();
            ctx.moveTo(p[0], p[1]);
            ctx.arc(p[0], p[1], r, start, start + PI / 2);
            ctx.fill();
          }
          ctx.beginPath();
          ctx.arc(p[0], p[1], r, 0, 2 * PI);
          ctx.lineWidth = 1.2; ctx.strokeStyle = colours.ink; ctx.stroke();
        },
        hit: (x, y) => max(0, hypot(x - p[0], y - p[1]) - r) });
    };
    return { pieces, faceted, bar, ellipsoid, disc, spring, line, arrow, centre, within };
  };

  const stroked = (ctx, points, colour, width, dash) => {
    ctx.beginPath();
    points.forEach((p, k) => (k ? ctx.lineTo(p[0], p[1]) : ctx.moveTo(p[0], p[1])));
    ctx.lineWidth = width;
    ctx.lineCap = dash ? "butt" : "round";
    ctx.lineJoin = "round";
    ctx.strokeStyle = colour;
    if (dash) ctx.setLineDash(dash);
    ctx.stroke();
    if (dash) ctx.setLineDash([]);
  };
  VV.stroked = stroked;

  const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';

  // A text with a halo; long ones are cut
  VV.written = (ctx, text, x, y, colours, size = 12, colour = colours.ink, align = "left") => {
    const shown = text.length > 40 ? `${text.slice(0, 39)}…` : text;
    ctx.font = `500 ${size}px ${FONT}`;
    ctx.textAlign = align;
    ctx.textBaseline = "middle";
    ctx.lineJoin = "round";
    ctx.lineWidth = 3.5;
    ctx.strokeStyle = colours.paper;
    ctx.strokeText(shown, x, y);
    ctx.fillStyle = colour;
    ctx.fillText(shown, x, y);
    return ctx.measureText(shown).width;
  };
})();
