// Charts answer to the pointer once they come into view; tables sort; details open for print.
const charts = [];
let edition = "both";

function tell(chart) {
  if (chart.knows("shown")) chart.view.signal("shown", edition).run();
}

async function awaken(figure) {
  const chart = await enliven(figure);
  if (chart) {
    charts.push(chart);
    tell(chart);
  }
}

const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting) {
      watcher.unobserve(entry.target);
      awaken(entry.target);
    }
  }
}, { rootMargin: "300px" });
document.querySelectorAll("figure.chart").forEach((figure) => watcher.observe(figure));

document.querySelectorAll("input[name=shown]").forEach((choice) => choice.addEventListener("change", () => {
  edition = choice.value;
  document.body.classList.toggle("changed", edition !== "both");
  charts.forEach(tell);
}));

function sortKey(row, place) {
  const cell = row.cells[place];
  return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
}

function compare(a, b) {
  const numbers = typeof a === "number" && typeof b === "number";
  return numbers ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
}

document.querySelectorAll("table.sortable").forEach((table) => {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      const rows = [...body.rows].sort((a, b) => compare(sortKey(a, place), sortKey(b, place)) * (down ? -1 : 1));
      body.append(...rows);
    });
  });
});

const closed = [];
addEventListener("beforeprint", () => document.querySelectorAll("details:not([open])").forEach((part) => {
  part.open = true;
  closed.push(part);
}));
addEventListener("afterprint", () => closed.splice(0).forEach((part) => { part.open = false; }));
