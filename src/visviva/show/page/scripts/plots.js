// Plots: the script is unpacked in idle time, and figures are drawn one after the other, those in view
// first. On paper they are as wide as its lines.
"use strict";
(() => {
  const figures = [...document.querySelectorAll("figure[data-plot]")];
  const PAPER = 690;  // pixels of a line on A4 and Letter
  let ready = null;

  const unpack = async () => {
    const text = document.getElementById("packed-plotly").textContent;
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = await new Response(stream).text();
    const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    await new Promise((resolve, reject) => {
      const element = VV.element("script", { src: url, onload: resolve, onerror: reject });
      document.head.append(element);
    });
    URL.revokeObjectURL(url);
  };
  const load = () => (ready = ready || unpack());

  // ---- colours

  const merged = (a, b) => {
    const made = { ...a };
    for (const [k, x] of Object.entries(b)) {
      const deep = x && typeof x === "object" && !Array.isArray(x);
      made[k] = deep ? merged(a[k] || {}, x) : x;
    }
    return made;
  };
  const template = () => {
    const [ink, soft, line, strong, card] = VV.dark()
      ? ["#e6e8ec", "#a4acb8", "#2d333d", "#4a525e", "#222731"]
      : ["#1b2430", "#57626f", "#e4e8ed", "#c0c8d2", "#ffffff"];
    const axis = { gridcolor: line, linecolor: strong, zerolinecolor: strong, tickcolor: strong };
    const clear = "rgba(0,0,0,0)";
    return merged(VV.data("plot-template"), { layout: {
      paper_bgcolor: clear, plot_bgcolor: clear, font: { color: soft },
      title: { font: { color: ink } }, xaxis: axis, yaxis: axis,
      scene: { xaxis: axis, yaxis: axis, zaxis: axis, bgcolor: clear },
      legend: { font: { color: ink }, bgcolor: clear },
      hoverlabel: { bgcolor: card, bordercolor: strong, font: { color: ink } },
      modebar: { bgcolor: clear, color: strong, activecolor: soft },
    } });
  };
  const config = { responsive: true, displaylogo: false,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"] };

  // ---- drawing

  const draw = (figure) => {
    const box = figure.querySelector(".drawn");
    const { data, layout, frames } = JSON.parse(
      document.getElementById(figure.dataset.plot).textContent);
    layout.template = template();
    layout.uirevision = "kept";  // what the reader has zoomed into
    Object.assign(layout, VV.onPaper() ? { width: PAPER, autosize: false } : { autosize: true });
    if (!figure.dataset.drawn) {
      box.replaceChildren();
      figure.dataset.drawn = "begun";
      return Plotly.newPlot(box, { data, layout, frames, config })
        .then(() => { figure.dataset.drawn = "done"; });
    }
    return Plotly.react(box, data, layout, config);
  };
  let told = false;
  const failed = (error) => {
    if (told) return;
    told = true;
    console.warn("plots cannot be shown:", error);
    for (const figure of figures) {
      const instead = figure.querySelector(".instead");
      if (instead) instead.textContent += " (This browser cannot unpack the plots of this page.)";
    }
  };
  VV.drawPlot = (figure) => load().then(() => draw(figure));
  VV.plotsReady = () => load().then(() =>
    Promise.all(figures.map((f) => (f.dataset.drawn ? null : draw(f)))));

  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || target.dataset.drawn) continue;
      seen.unobserve(target);
      VV.drawPlot(target).catch(failed);
    }
  }, { rootMargin: "300px" });
  for (const figure of figures) seen.observe(figure);

  document.addEventListener("vv-theme", () => {
    for (const figure of figures) if (figure.dataset.drawn) draw(figure);
  });
  const scaled = (on) => {  // narrower paper makes them smaller, and cuts nothing off
    for (const svg of document.querySelectorAll("figure[data-plot] svg.main-svg")) {
      const size = ["width", "height"].map((x) => svg.getAttribute(x));
      if (on) svg.setAttribute("viewBox", `0 0 ${size.join(" ")}`);
      else svg.removeAttribute("viewBox");
    }
  };
  addEventListener("beforeprint", () => {  // those that are drawn already were told with the colours
    if (window.Plotly) for (const figure of figures) if (!figure.dataset.drawn) draw(figure);
    scaled(true);
  });
  addEventListener("afterprint", () => {
    scaled(false);
    for (const figure of figures) {  // as wide as the screen again
      if (figure.dataset.drawn === "done") Plotly.Plots.resize(figure.querySelector(".drawn"));
    }
  });
  const idle = window.requestIdleCallback || ((f) => setTimeout(f, 400));
  const next = () => {  // whoever prints without having scrolled finds them all
    const figure = figures.find((f) => !f.dataset.drawn);
    if (figure) draw(figure).then(() => idle(next, { timeout: 3000 })).catch(failed);
  };
  if (figures.length) idle(() => load().then(next).catch(failed), { timeout: 3000 });
})();
