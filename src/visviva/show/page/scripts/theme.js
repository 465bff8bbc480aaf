// Light, dark or as the device has it; before anything is drawn.
"use strict";
window.VV = window.VV || {};
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = "auto";
  try { chosen = localStorage.getItem("visviva-theme") || "auto"; } catch { /* no storage */ }
  let printing = false;

  const apply = () => {
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
    else delete root.dataset.theme;
  };
  const tell = () => document.dispatchEvent(new Event("vv-theme"));

  root.classList.add("scripted");
  VV.dark = () => !printing && (chosen === "dark" || (chosen !== "light" && system.matches));
  VV.theme = (name) => {
    if (name === undefined) return chosen;
    chosen = name;
    try { localStorage.setItem("visviva-theme", name); } catch { /* not remembered */ }
    apply();
    tell();
    return chosen;
  };
  VV.onPaper = () => printing;
  VV.still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  system.addEventListener("change", tell);
  window.addEventListener("beforeprint", () => { printing = true; tell(); });
  window.addEventListener("afterprint", () => { printing = false; tell(); });
  apply();
})();
