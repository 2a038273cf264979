// The plan: figures of a release and the whole follow its price, which sliders, the bar and curves of errors set.
import { digits, put } from "./answers.js";

const form = document.getElementById("prices");
const whole = document.querySelector("[data-together]");

const prices = () => {
  const query = new URLSearchParams(new FormData(form));
  query.delete("csrf");
  query.delete("version");
  return query;
};
const card = (name) => document.querySelector(`[data-release="${CSS.escape(name)}"]`);
const show = (name, draw) => {
  const query = prices();
  query.set("name", name);
  if (draw) query.set("draw", draw);
  put(card(name).querySelector(".figures"), card(name).dataset.figures, query);
};
const set = (name, price) => {
  const field = form.elements[`e.${name}`];
  field.value = digits(price);
  field.dispatchEvent(new CustomEvent("input", { bubbles: true }));
};

// The curve of errors is asked for once, when it is opened; its handle moves along it here.
const curve = (handle) => JSON.parse(handle.closest("svg").dataset.points);
const place = (handle, price) => {
  const points = curve(handle);
  const power = Math.min(Math.max(Math.log10(price), points[0].power), points.at(-1).power);
  const right = points.findIndex((one) => one.power >= power);
  const [from, to] = [points[Math.max(right - 1, 0)], points[right]];
  const part = to.power === from.power ? 0 : (power - from.power) / (to.power - from.power);
  const between = (key) => from[key] + part * (to[key] - from[key]);
  const picture = handle.closest("svg");
  for (const dot of picture.querySelectorAll("[data-at]")) { dot.setAttribute("cx", between("x")); dot.setAttribute("cy", between("y")); }
  const level = picture.querySelector(".cursor");
  for (const end of ["y1", "y2"]) level.setAttribute(end, between("y"));
  const error = Number((10 ** between("error")).toPrecision(3)).toLocaleString("en");
  handle.dataset.power = String(power);
  handle.setAttribute("aria-valuenow", digits(10 ** power));
  handle.setAttribute("aria-valuetext", `ε ${digits(10 ** power)}, off by at most ±${error} ${handle.dataset.unit}`.trim());
};
const nearest = (handle, x, y) => {
  // Steps along the curve between its corners; the one next to the pointer is meant.
  const points = curve(handle);
  let found = { far: Infinity };
  for (let n = 0; n + 1 < points.length; n += 1) {
    for (let part = 0; part <= 1; part += 0.05) {
      const at = (key) => points[n][key] + part * (points[n + 1][key] - points[n][key]);
      const far = Math.hypot(at("x") - x, at("y") - y);
      if (far < found.far) found = { far, power: at("power") };
    }
  }
  return found.power;
};
const STEPS = { ArrowRight: 0.02, ArrowUp: 0.02, ArrowLeft: -0.02, ArrowDown: -0.02, PageUp: 0.2, PageDown: -0.2, Home: -9, End: 9 };

if (form) {
  document.addEventListener("input", (event) => {
    const field = event.target;
    if (field.form === form && field.name === "guess") for (const one of document.querySelectorAll("[data-release]:has(.pretended)")) show(one.dataset.release);
    if (field.form !== form || !field.name.startsWith("e.") || !(Number(field.value) > 0)) return;
    const name = field.name.slice(2);
    show(name);
    put(whole.querySelector(".pictures"), whole.dataset.together, prices());
    const handle = card(name).querySelector("[data-along]");
    if (handle && digits(10 ** Number(handle.dataset.power)) !== field.value) place(handle, Number(field.value));
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-draw]");
    if (button) show(button.closest("[data-release]").dataset.release, button.dataset.draw);
  });
  document.addEventListener("toggle", (event) => {
    if (!event.target.matches(".lines") || !event.target.open) return;
    const release = event.target.closest("[data-release]");
    const query = prices();
    query.set("name", release.dataset.release);
    put(release.querySelector(".curve"), release.dataset.curve, query);
  }, true);
  document.addEventListener("keydown", (event) => {
    if (!event.target.matches("[data-along]") || !(event.key in STEPS)) return;
    event.preventDefault();
    place(event.target, 10 ** (Number(event.target.dataset.power) + STEPS[event.key]));
    set(event.target.dataset.along, 10 ** Number(event.target.dataset.power));
  });

  // Borders of the bar and the handle of a curve are dragged.
  let dragged = null;
  const border = (handle) => {
    const bar = handle.closest("svg");
    const { start } = handle.dataset;
    const [scale, box, name] = [Number(bar.dataset.scale), bar.getBoundingClientRect(), handle.dataset.handle];
    return (event) => set(name, Math.max(0.1, 100 * (event.clientX - box.left) / box.width - Number(start)) / 100 * scale);
  };
  const along = (handle) => (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(handle.closest("svg").getScreenCTM().inverse());
    place(handle, 10 ** nearest(handle, at.x, at.y));
    set(handle.dataset.along, 10 ** Number(handle.dataset.power));
  };
  document.addEventListener("pointerdown", (event) => {
    if (event.target.matches("[data-handle]")) dragged = border(event.target);
    else if (event.target.matches("[data-along]")) { dragged = along(event.target); event.target.focus(); }
    if (dragged) event.preventDefault();
  });
  document.addEventListener("pointermove", (event) => { if (dragged) dragged(event); });
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => { dragged = null; });
}
