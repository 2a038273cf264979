// Sliders look up what was computed for each price and number of bins.
const data = JSON.parse(document.getElementById("data").textContent);
const factor = document.getElementById("factor");
const bins = document.getElementById("bins");
const views = [];

function number(value, digits = 3) {
  if (value === 0) return "0";
  if (Math.abs(value) >= 1e-4) return Number(value.toPrecision(digits)).toLocaleString("en", { maximumFractionDigits: 8 });
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  return `${Number(mantissa)} × 10^${Number(power)}`;
}

const heads = [...document.querySelectorAll("thead th")].map((head) => head.textContent);

function cell(row, text, kind = "number") {
  const place = row.insertCell();
  place.textContent = text;
  place.className = kind;
  place.dataset.head = heads[place.cellIndex];
}

function show() {
  const price = Number(factor.value);
  const detail = bins ? Number(bins.value) : 0;
  const total = data.totals[price];
  const set = (name, text) => { document.getElementById(name).textContent = text; };
  const speak = (slider, text) => { slider.setAttribute("aria-valuetext", text); };
  if (total.epsilon === null) {
    set("factor-now", "not possible");
    set("promise", "The plan is not possible at this cost.");
  } else {
    set("factor-now", `ε = ${number(total.epsilon)}${total.fits ? "" : ", more than the ledger has left"}`);
    const noun = document.getElementById("promise").dataset.noun;
    set("promise", `All releases together cost ε = ${number(total.epsilon)}. They change the odds of any guess about one`
      + ` ${noun} by a factor of at most ${total.odds}: a chance of 1 in 100 can become ${total.belief}.`);
    for (const name of ["accuracy", "auc", "caught"]) set(name, number(total[name]));
  }
  speak(factor, document.getElementById("factor-now").textContent);
  if (bins) {
    set("bins-now", data.bins[detail] === null ? "as declared" : data.bins[detail]);
    speak(bins, document.getElementById("bins-now").textContent);
  }
  const body = document.getElementById("releases");
  body.replaceChildren();
  for (const release of data.releases) {
    const point = release.rows[detail][price];
    const row = body.insertRow();
    cell(row, release.name, "");
    cell(row, release.title, "");
    if (point === null) {
      cell(row, "not possible");
      continue;
    }
    cell(row, number(point.epsilon));
    cell(row, point.cells.toLocaleString("en"));
    cell(row, `±${number(point.error)} ${point.unit}`);
    cell(row, `±${number(point.bound)}`);
    cell(row, `±${number(point.all)}`);
    cell(row, point.relative === undefined ? "" : `${number(100 * point.relative)} %`);
    if (data.records) cell(row, point.records === undefined ? "" : point.records.toLocaleString("en"));
    cell(row, point.reading || "", "reading");
    row.classList.toggle("doubtful", point.reading !== undefined);
  }
  document.body.classList.toggle("changed", price !== data.start.factor || detail !== data.start.bins);
  for (const view of views) view.signal("chosen", price).signal("bins", detail).run();
}

factor.addEventListener("input", show);
if (bins) bins.addEventListener("input", show);
show();

for (const figure of document.querySelectorAll("figure.chart")) {
  enliven(figure).then((chart) => {
    if (chart) views.push(chart.view);
    show();
  });
}
