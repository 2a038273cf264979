// A chart stands on the page as a picture; this draws it anew so that it answers to the pointer, or leaves the picture.

// In a narrow place names beside an axis leave room for what they name, keys stand below each other, and a chart is wide
// enough for all names below its axis: it scrolls. Only where there are too many for a desk some are left out.
function fitted(chart, width) {
  for (const part of [chart, ...(chart.layer || [])]) {
    const { x, y, color } = part.encoding || {};
    if (x && x.axis && x.type === "nominal") {
      const names = new Set(chart.data.values.map((row) => row[x.field]));
      if (names.size * 18 > width - 60 && !x.axis.labelOverlap) chart.width = names.size * 18;
      const longest = Math.max(0, ...[...names].map((name) => String(name).length));
      if (!x.axis.labelAngle && names.size * (Math.min(longest, 22) * 7 + 8) > width - 60) x.axis.labelAngle = -50;
    }
    if (width > 520) continue;
    if (x && x.type === "quantitative" && x.axis !== null) x.axis = { ...x.axis, titleAnchor: "end" };
    if (y && y.axis && y.axis.labelLimit) y.axis.labelLimit = Math.min(y.axis.labelLimit, Math.round(width * 0.45));
    if (color && color.datum && color.legend) color.legend.columns = 1;
  }
  return chart;
}

async function enliven(figure) {
  const place = figure.querySelector(".plot");
  const picture = place.firstElementChild;
  const chart = fitted(JSON.parse(figure.querySelector("script").textContent), place.clientWidth);
  const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const canvas = document.createElement("div");
  canvas.style.width = "100%";
  place.append(canvas);
  try {
    const made = await vegaEmbed(canvas, chart, {
      mode: "vega-lite", ast: true, renderer: "svg", actions: false, logLevel: 1, tooltip: { theme },
    });
    const drawn = canvas.querySelector("svg");
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", picture.getAttribute("aria-label"));
    picture.remove();
    figure.dataset.ready = "yes";
    return { view: made.view, knows: (name) => (chart.params || []).some((known) => known.name === name) };
  } catch (error) {
    canvas.remove();
    console.error(error);
    return null;
  }
}

