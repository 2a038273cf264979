"use strict";
// Pages work without this script; it closes the rail on phones and leads to mistakes.
(() => {
  const rail = document.querySelector(".rail");
  if (rail && window.matchMedia("(max-width: 760px)").matches) rail.open = false;
  const mistakes = document.querySelector(".mistakes");
  if (mistakes) mistakes.focus();
})();
// What spends is sent once; the server refuses a second time, too.
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-once]")) return;
  for (const button of event.target.querySelectorAll("button")) button.disabled = true;
});
// Pictures that follow fields: a slider stands for a number on a logarithmic scale, the server draws.
(() => {
  const digits = (value) => String(Number(value.toPrecision(2)));
  const latest = new Map();
  const follow = async (area) => {
    const form = area.closest("form");
    const query = new URLSearchParams();
    const data = new FormData(form);
    for (const name of area.dataset.fields.split(" ")) query.set(name, data.get(name) ?? "");
    const turn = (latest.get(area) ?? 0) + 1;
    latest.set(area, turn);
    const answer = await fetch(`${area.dataset.follow}?${query}`);
    if (answer.ok && latest.get(area) === turn) area.querySelector(".pictures").innerHTML = await answer.text();
  };
  const speak = (slider) => slider.setAttribute("aria-valuetext", `ε ${digits(10 ** Number(slider.value))}`);
  for (const slider of document.querySelectorAll("input[data-logarithm-of]")) {
    const field = slider.form.elements[slider.dataset.logarithmOf];
    const read = () => { if (Number(field.value) > 0) slider.value = String(Math.log10(Number(field.value))); speak(slider); };
    read();
    field.addEventListener("input", read);
    slider.addEventListener("input", () => { field.value = digits(10 ** Number(slider.value)); speak(slider); field.dispatchEvent(new Event("change", { bubbles: true })); });
  }
  for (const area of document.querySelectorAll("[data-follow]")) {
    const update = (event) => { if (area.dataset.fields.split(" ").includes(event.target.name)) follow(area); };
    area.closest("form").addEventListener("input", update);
    area.closest("form").addEventListener("change", update);
  }
})();
// The plan: figures of one release and the whole follow its price; borders of the bar can be dragged.
(() => {
  const form = document.getElementById("prices");
  if (!form) return;
  const whole = document.querySelector("[data-together]");
  const turns = new Map();
  const put = async (key, place, address, query) => {
    const turn = (turns.get(key) ?? 0) + 1;
    turns.set(key, turn);
    const answer = await fetch(`${address}?${query}`);
    if (answer.ok && turns.get(key) === turn) place.innerHTML = await answer.text();
  };
  const prices = () => {
    const query = new URLSearchParams(new FormData(form));
    query.delete("csrf");
    query.delete("version");
    return query;
  };
  const card = (name) => document.querySelector(`[data-release="${CSS.escape(name)}"]`);
  const refresh = (name, draw) => {
    const place = card(name);
    const query = prices();
    query.set("name", name);
    if (draw) query.set("draw", draw);
    put(name, place.querySelector(".figures"), place.dataset.figures, query);
    if (place.querySelector(".lines").open) put(`${name} line`, place.querySelector(".curve"), place.dataset.curve, query);
  };
  const changed = (event) => {
    const field = event.target;
    if (field.form !== form || !field.name.startsWith("e.") || !(Number(field.value) > 0)) return;
    refresh(field.name.slice(2));
    put("together", whole.querySelector(".pictures"), whole.dataset.together, prices());
  };
  document.addEventListener("input", changed);
  document.addEventListener("change", changed);
  document.addEventListener("toggle", (event) => {
    if (event.target.matches(".lines") && event.target.open) refresh(event.target.closest("[data-release]").dataset.release);
  }, true);
  document.addEventListener("click", (event) => {
    if (event.target.matches("[data-draw]")) refresh(event.target.closest("[data-release]").dataset.release, event.target.dataset.draw);
  });
  let dragged = null;
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.matches("[data-handle]")) return;
    const bar = event.target.closest("svg");
    dragged = { name: event.target.dataset.handle, start: Number(event.target.dataset.start), scale: Number(bar.dataset.scale), box: bar.getBoundingClientRect() };
    event.preventDefault();
  });
  document.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const percent = Math.max(0.1, 100 * (event.clientX - dragged.box.left) / dragged.box.width - dragged.start);
    const field = form.elements[`e.${dragged.name}`];
    field.value = String(Number((percent / 100 * dragged.scale).toPrecision(2)));
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  document.addEventListener("pointerup", () => { dragged = null; });
})();
