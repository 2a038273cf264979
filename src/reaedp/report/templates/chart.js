// A chart stands on the page as a picture; this draws it anew so that it answers to the pointer, or leaves the picture.
async function enliven(figure) {
  const place = figure.querySelector(".plot");
  const picture = place.firstElementChild;
  const chart = JSON.parse(figure.querySelector("script").textContent);
  const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const canvas = document.createElement("div");
  canvas.style.width = "100%";
  place.append(canvas);
  try {
    const made = await vegaEmbed(canvas, chart, {
      mode: "vega-lite", ast: true, renderer: "svg", actions: false, logLevel: 1, tooltip: { theme },
    });
    picture.remove();
    figure.dataset.ready = "yes";
    return { view: made.view, knows: (name) => (chart.params || []).some((known) => known.name === name) };
  } catch (error) {
    canvas.remove();
    console.error(error);
    return null;
  }
}

