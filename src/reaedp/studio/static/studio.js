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
