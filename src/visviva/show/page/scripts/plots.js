// Plots: the script is unpacked in idle time, a figure is drawn when it comes into view.
"use strict";
(() => {
  const figures = [...document.querySelectorAll("figure[data-plot]")];
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

  const COLOURS = ["#2f6fdb", "#d9622b", "#2a9d6f", "#b0459a", "#c79a1d", "#5a6b7b", "#15a0b5",
    "#d1495b"];
  const DARK = ["#6ea8ff", "#ff9a62", "#5fd0a0", "#e083cf", "#ecc550", "#a3b3c2", "#5fd3e4",
    "#ff8791"];
  const template = () => {
    const dark = VV.dark();
    const [ink, soft, line, card] = dark
      ? ["#e6e8ec", "#a2a9b4", "#343a44", "#1f242c"] : ["#1c2430", "#5b6675", "#e3e7ec", "#ffffff"];
    const axis = { gridcolor: line, linecolor: line, zerolinecolor: dark ? "#4a525e" : "#c6cdd6",
      tickcolor: line, automargin: true, title: { standoff: 10 }, ticks: "" };
    const axis3 = { ...axis, backgroundcolor: "rgba(0,0,0,0)", showbackground: false };
    delete axis3.automargin;
    delete axis3.title;
    return { layout: {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif",
        size: 13, color: soft },
      title: { font: { size: 15, color: ink }, x: 0, xref: "paper", xanchor: "left" },
      colorway: dark ? DARK : COLOURS, margin: { l: 56, r: 16, t: 36, b: 44 },
      xaxis: axis, yaxis: axis,
      scene: { xaxis: axis3, yaxis: axis3, zaxis: axis3 },
      hoverlabel: { bgcolor: card, bordercolor: line, font: { color: ink } },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: { color: ink } },
      hovermode: "closest",
    } };
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
    if (!figure.dataset.drawn) {
      box.replaceChildren();
      figure.dataset.drawn = "begun";
      return Plotly.newPlot(box, { data, layout, frames, config })
        .then(() => { figure.dataset.drawn = "done"; });
    }
    return Plotly.react(box, data, layout, config);
  };
  const failed = (error) => {
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
  addEventListener("beforeprint", () => {
    if (window.Plotly) for (const figure of figures) if (!figure.dataset.drawn) draw(figure);
  });
  const idle = window.requestIdleCallback || ((f) => setTimeout(f, 400));
  if (figures.length) idle(() => load().catch(failed), { timeout: 3000 });
})();
