// How a picture is turned, moved and magnified: by mouse, fingers and keys.
"use strict";
(() => {
  const { hypot } = Math;

  VV.controls = (viewer) => {
    const { canvas, camera } = viewer;
    const fingers = new Map();
    let grabbed = false;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const moved = () => { viewer.moved = true; viewer.redraw(); };
    canvas.addEventListener("pointerdown", (event) => {
      const [x, y] = place(event);
      fingers.set(event.pointerId, [x, y]);
      try { canvas.setPointerCapture(event.pointerId); } catch { /* a pointer that is gone */ }
      if (fingers.size === 1 && event.button === 0 && viewer.grab) {
        grabbed = Boolean(viewer.grab.start(x, y, event.pointerType === "touch"));
      } else if (fingers.size > 1 && grabbed) {
        grabbed = false;
        viewer.grab.end();
      }
      canvas.classList.toggle("grabbing", true);
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      const before = fingers.get(event.pointerId);
      if (!before) {
        if (viewer.grab && viewer.grab.hover) viewer.grab.hover(x, y);
        return;
      }
      const [dx, dy] = [x - before[0], y - before[1]];
      if (grabbed) {
        fingers.set(event.pointerId, [x, y]);
        viewer.grab.move(x, y);
        return;
      }
      if (fingers.size === 2) {  // together they move, apart they magnify
        const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
        const [old, now] = [before, [x, y]].map((p) => hypot(p[0] - other[0], p[1] - other[1]));
        camera.pan(dx / 2, dy / 2);
        if (old > 5) camera.magnify(now / old, (x + other[0]) / 2, (y + other[1]) / 2);
      } else if (event.buttons & 2 || event.buttons & 4 || event.shiftKey) {
        camera.pan(dx, dy);
      } else if (camera.flat && viewer.grab) {  // who misses a link shall not lose the picture
        VV.say("Take hold of a link; the right button, or Shift, moves the picture");
      } else if (camera.flat) {
        camera.pan(dx, dy);
      } else camera.orbit(dx, dy);
      fingers.set(event.pointerId, [x, y]);
      moved();
    });
    const up = (event) => {
      fingers.delete(event.pointerId);
      if (grabbed && fingers.size === 0) {
        grabbed = false;
        viewer.grab.end();
      }
      canvas.classList.toggle("grabbing", fingers.size > 0);
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("touchstart", (event) => {  // what is held does not scroll the page
      const [touch] = event.touches;
      const [x, y] = place(touch);
      const held = viewer.grab && viewer.pick(x, y, { movable: true, touch: true });
      if (event.touches.length > 1 || held) event.preventDefault();
    }, { passive: false });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) {
        VV.say("Click the picture, or hold Ctrl, to zoom by the wheel");
        return;
      }
      event.preventDefault();
      const lines = event.deltaMode ? 16 : 1;  // pixels in what the wheel counts
      camera.magnify(Math.exp(-0.0016 * lines * event.deltaY), ...place(event));
      moved();
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const step = 18;
      const turn = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step],
        ArrowDown: [0, step] }[event.key];
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (turn && (camera.flat || event.shiftKey)) camera.pan(...turn);
      else if (turn) camera.orbit(...turn);
      else if (event.key === "+" || event.key === "=") camera.magnify(1.15);
      else if (event.key === "-" || event.key === "_") camera.magnify(1 / 1.15);
      else if (event.key === "0" || event.key === "Home") { viewer.home(); viewer.moved = false; }
      else return;
      event.preventDefault();
      moved();
    });
    canvas.addEventListener("dblclick", () => { viewer.home(); viewer.moved = false; });
  };
})();
