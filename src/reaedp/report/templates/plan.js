// Sliders look up what was computed for each price and number of bins.
const data = JSON.parse(document.getElementById("data").textContent);
const factor = document.getElementById("factor");
const bins = document.getElementById("bins");
const views = [];

function number(value, digits = 3) {
  if (value === 0) return "0";
  const small = Math.abs(value) < 1e-4;
  return small ? value.toExponential(digits - 1) : Number(value.toPrecision(digits)).toLocaleString("en");
}

function cell(row, text, isNumber = true) {
  const place = row.insertCell();
  place.textContent = text;
  if (isNumber) place.className = "number";
}

function show() {
  const price = Number(factor.value);
  const detail = bins ? Number(bins.value) : 0;
  const total = data.totals[price];
  const set = (name, text) => { document.getElementById(name).textContent = text; };
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
  if (bins) set("bins-now", data.bins[detail] === null ? "as declared" : data.bins[detail]);
  const body = document.getElementById("releases");
  body.replaceChildren();
  for (const release of data.releases) {
    const point = release.rows[detail][price];
    const row = body.insertRow();
    cell(row, release.name, false);
    cell(row, release.title, false);
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
    cell(row, point.records === undefined ? "" : point.records.toLocaleString("en"));
  }
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
