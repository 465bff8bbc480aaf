// From points of the world to points of the picture, and back.
"use strict";
(() => {
  const { sin, cos, hypot, min, max, PI } = Math;
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0]];
  const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
  const unit = (a) => { const n = hypot(...a) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };
  const axis = (k) => [k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0];
  // [R | p] of a carrier, and what it does to a point
  const place = (X, p) => [
    X[0][0] * p[0] + X[0][1] * p[1] + X[0][2] * p[2] + X[0][3],
    X[1][0] * p[0] + X[1][1] * p[1] + X[1][2] * p[2] + X[1][3],
    X[2][0] * p[0] + X[2][1] * p[1] + X[2][2] * p[2] + X[2][3]];
  // the point of a carrier that is at p; its 3 x 3 part may stretch
  const unplace = (X, p) => {
    const d = [p[0] - X[0][3], p[1] - X[1][3], p[2] - X[2][3]];
    const [a, b, c] = [0, 1, 2].map((j) => [X[0][j], X[1][j], X[2][j]]);
    const volume = dot(a, cross(b, c));
    return [dot(d, cross(b, c)) / volume, dot(a, cross(d, c)) / volume,
      dot(a, cross(b, d)) / volume];
  };
  VV.vectors = { dot, cross, add, unit, axis, place, unplace };

  const NARROW = 0.42;  // of the view, rad
  const HOME = { yaw: -0.9, pitch: 0.42 };

  // A camera that looks at `target`; in a `plane` [i, j] it sees axis i to the right and j upwards.
  VV.camera = (scene) => {
    const radius = scene.radius > 0 ? scene.radius : scene.size || 1;
    const c = { width: 600, height: 400, target: [...scene.center], flat: Boolean(scene.plane),
      reach: radius, yaw: HOME.yaw, pitch: HOME.pitch, zoom: 1 };

    c.turned = () => {
      if (c.flat) {
        const [right, up] = scene.plane.map(axis);
        Object.assign(c, { right, up, back: cross(right, up) });
      } else {
        const [sy, cy, sp, cp] = [sin(c.yaw), cos(c.yaw), sin(c.pitch), cos(c.pitch)];
        Object.assign(c, { right: [-sy, cy, 0], up: [-sp * cy, -sp * sy, cp],
          back: [cp * cy, cp * sy, sp] });
      }
      const half = 0.5 * min(c.width, c.height);
      c.scale = (0.9 * half * c.zoom) / c.reach;  // pixels in a metre at the target
      c.distance = (0.5 * c.height) / Math.tan(NARROW / 2) / c.scale;
    };

    // right and down in pixels, depth towards the reader in metres, pixels in a metre there
    c.project = (p) => {
      const d = [p[0] - c.target[0], p[1] - c.target[1], p[2] - c.target[2]];
      const z = dot(c.back, d);
      let s = c.scale;
      if (!c.flat) {
        const far = c.distance - z;
        if (far < 0.08 * c.distance) return null;  // behind the reader, or too near
        s *= c.distance / far;
      }
      return [c.width / 2 + s * dot(c.right, d), c.height / 2 - s * dot(c.up, d), z, s];
    };

    // the point under a pixel that is as deep as `at`, a point of the world
    c.unproject = (x, y, at = c.target) => {
      const z = dot(c.back, add(at, c.target, -1));
      const s = c.flat ? c.scale : (c.scale * c.distance) / max(c.distance - z, 1e-9);
      const [a, b] = [(x - c.width / 2) / s, (c.height / 2 - y) / s];
      return [0, 1, 2].map((k) => c.target[k] + a * c.right[k] + b * c.up[k] + z * c.back[k]);
    };

    // towards the reader, from a point
    c.towards = (p) => (c.flat ? c.back
      : unit(add(add(c.target, c.back, c.distance), p, -1)));

    c.orbit = (dx, dy) => {
      c.yaw -= 0.008 * dx;
      c.pitch = min(max(c.pitch + 0.008 * dy, -PI / 2 + 0.02), PI / 2 - 0.02);
      c.turned();
    };
    c.pan = (dx, dy) => {
      c.target = add(add(c.target, c.right, -dx / c.scale), c.up, dy / c.scale);
      c.turned();
    };
    c.magnify = (factor, x, y) => {
      const before = x === undefined ? null : c.unproject(x, y);
      c.zoom = min(max(c.zoom * factor, 0.05), 60);
      c.turned();
      if (before) {  // what is under the pointer stays there
        c.target = add(c.target, add(before, c.unproject(x, y), -1));
        c.turned();
      }
    };
    // all of these points in the picture, with some room
    c.fit = (points) => {
      c.zoom = 1;
      c.turned();
      const spans = [c.right, c.up, c.back].map((a) => {
        const along = points.map((p) => dot(a, p)).filter(Number.isFinite);
        return along.length ? [along.reduce((x, y) => min(x, y)), along.reduce((x, y) => max(x, y))]
          : [0, 0];
      });
      const middle = spans.map(([low, high]) => (low + high) / 2);
      c.target = [0, 1, 2].map((k) =>
        middle[0] * c.right[k] + middle[1] * c.up[k] + middle[2] * c.back[k]);
      const half = spans.map(([low, high]) => (high - low) / 2);
      const side = min(c.width, c.height);
      const wanted = max((half[0] * side) / c.width, (half[1] * side) / c.height, 0.02 * radius);
      c.reach = wanted * 1.16 + (c.flat ? 0 : 0.18 * half[2]);
      c.turned();
    };
    c.turned();
    return c;
  };
  VV.camera.home = HOME;
})();
