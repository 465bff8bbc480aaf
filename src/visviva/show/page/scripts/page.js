// What every page does: data by name, the switch of colours, copying, folds, the place in the text.
"use strict";
(() => {
  const read = Object.create(null);  // no name of Object's own is one of ours
  VV.data = (id) => {
    if (!(id in read)) {
      const element = document.getElementById(id);
      if (!element) throw new Error(`no data called ${id}`);
      read[id] = JSON.parse(element.textContent);
    }
    return read[id];
  };

  // An element with attributes and children; texts are texts.
  VV.element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value === true) made.setAttribute(name, "");
      else if (value !== false && value != null) made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  };

  // A long name by its beginning and its end: names of joints differ in either.
  VV.short = (name, most = 26) => {
    const c = [...name];
    const half = most >> 1;
    return c.length > most ? `${c.slice(0, half).join("")}…${c.slice(1 - half).join("")}` : name;
  };

  VV.say = (text) => {
    const said = document.getElementById("said");
    said.textContent = text;
    said.classList.add("shown");
    clearTimeout(VV.say.timer);
    VV.say.timer = setTimeout(() => said.classList.remove("shown"), 1600);
  };

  // ---- copying

  const byHand = (text) => {  // where a page from a file may not use the clipboard
    const area = VV.element("textarea", { "aria-hidden": "true", class: "copied" });
    area.value = text;
    document.body.append(area);
    const focused = document.activeElement;
    area.select();
    let done = false;
    try { done = document.execCommand("copy"); } catch { done = false; }
    area.remove();
    if (focused) focused.focus({ preventScroll: true });
    return done;
  };
  VV.copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return byHand(text);
    }
  };
  const closeMenus = (but) => {
    for (const menu of document.querySelectorAll(".copies details[open]")) {
      if (menu !== but) menu.open = false;
    }
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy]");
    closeMenus(event.target.closest(".copies details"));
    if (!button) return;
    const box = button.closest(".copies");
    const name = button.dataset.copy;
    const text = JSON.parse(box.querySelector(".texts").textContent)[name];
    const done = await VV.copy(text);
    VV.say(done ? `${name} copied` : "The browser did not let the page copy");
    VV.lastCopied = done ? text : null;
    closeMenus(null);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = event.target.closest && event.target.closest(".copies details[open]");
    if (menu) { menu.open = false; menu.querySelector("summary").focus(); }
  });

  // ---- folds: links open what they point into, print opens all

  const open = (element) => {
    for (let e = element; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
  };
  const follow = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (!target) return;
    const chapter = target.querySelector(":scope > details.chapter");
    open(chapter || target);
    target.scrollIntoView();
  };
  addEventListener("hashchange", follow);
  let closed = [];
  let narrowed = [];
  const PAPER = 690;  // pixels of a line on A4
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("main details:not([open])")]
      .filter((e) => !e.closest(".copies, .tools"));
    for (const e of closed) e.open = true;
    narrowed = [...document.querySelectorAll(".line")].filter((e) => e.scrollWidth > PAPER);
    for (const e of narrowed) e.style.zoom = Math.max(PAPER / e.scrollWidth, 0.4);
  });
  addEventListener("afterprint", () => {
    for (const e of closed) e.open = false;
    for (const e of narrowed) e.style.zoom = "";
  });

  // ---- contents: where the reader is, and the switch of colours

  const contents = document.querySelector(".contents");
  const narrow = matchMedia("(max-width: 64rem)");
  const fit = () => { contents.firstElementChild.open = !narrow.matches; };
  fit();
  narrow.addEventListener("change", fit);
  contents.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    if (narrow.matches) fit();
    if (link.hash === location.hash) follow();
  });
  const sections = [...document.querySelectorAll("main > section")];
  const links = new Map([...contents.querySelectorAll("a")].map((a) => [a.hash.slice(1), a]));
  let waiting = false;
  const mark = () => {
    waiting = false;
    const edge = innerHeight * 0.3;
    let here = null;
    for (const s of sections) if (s.getBoundingClientRect().top <= edge) here = s;
    if (innerHeight + scrollY >= document.documentElement.scrollHeight - 2) {
      here = sections[sections.length - 1] || here;
    }
    for (const [id, a] of links) {
      if (here && id === here.id) a.setAttribute("aria-current", "true");
      else a.removeAttribute("aria-current");
    }
  };
  addEventListener("scroll", () => {
    if (!waiting) { waiting = true; requestAnimationFrame(mark); }
  }, { passive: true });
  mark();

  const words = { auto: "Auto", light: "Light", dark: "Dark" };
  const choices = Object.entries(words).map(([name, word]) =>
    VV.element("button", { type: "button", "data-theme-choice": name, title: `${word} colours` },
      word));
  const show = () => {
    for (const b of choices) {
      b.setAttribute("aria-pressed", String(b.dataset.themeChoice === VV.theme()));
    }
  };
  for (const b of choices) {
    b.addEventListener("click", () => { VV.theme(b.dataset.themeChoice); show(); });
  }
  show();
  contents.append(VV.element("div", { class: "themes", role: "group", "aria-label": "Colours" },
    ...choices));
  follow();
})();
