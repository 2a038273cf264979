// A chart stands on the page as two pictures, for a desk and for a phone; this draws it anew so that it answers to the
// pointer, or leaves the pictures. Paper shows the picture, unless the reader has changed what the chart shows.

async function enliven(figure) {
  const place = figure.querySelector(".plot");
  const [wide, phone] = place.children;
  const { narrow, ...usual } = JSON.parse(figure.querySelector("script").textContent);
  const chart = getComputedStyle(wide).display === "none" ? { ...usual, ...narrow } : usual;
  const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const canvas = document.createElement("div");
  canvas.className = "canvas";
  place.append(canvas);
  try {
    const made = await vegaEmbed(canvas, chart, {
      mode: "vega-lite", ast: true, renderer: "svg", actions: false, logLevel: 1, tooltip: { theme },
    });
    const drawn = canvas.querySelector("svg");
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", phone.getAttribute("aria-label"));
    figure.dataset.ready = "yes";
    return { view: made.view, knows: (name) => (chart.params || []).some((known) => known.name === name) };
  } catch (error) {
    canvas.remove();
    console.error(error);
    return null;
  }
}

