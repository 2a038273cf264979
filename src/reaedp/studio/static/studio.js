// Pages work without scripts; this one closes the rail on phones, leads to mistakes, keeps what is typed and lets pictures follow fields.
import { digits, put } from "./answers.js";

const rail = document.querySelector(".rail");
if (rail && window.matchMedia("(max-width: 760px)").matches) rail.open = false;
document.querySelector(".mistakes[tabindex]")?.focus();

// What spends is sent once; the server refuses a second time, too.
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-once]")) return;
  for (const button of event.target.querySelectorAll("button")) button.disabled = true;
});

// What was typed and is not saved: the next step saves it, and leaving the page otherwise is asked about.
const said = (form) => {
  const data = new FormData(form);
  for (const field of form.elements) if ("passing" in field.dataset) data.delete(field.name); // is never saved
  return new URLSearchParams(data).toString();
};
const kept = new Map([...document.querySelectorAll("form[data-keep]")].map((form) => [form, said(form)]));
const unsaved = () => [...kept].find(([form, text]) => said(form) !== text)?.[0];
let sending = false;
document.addEventListener("submit", () => { sending = true; });
document.querySelector("a.next")?.addEventListener("click", (event) => {
  if (!unsaved()) return;
  event.preventDefault();
  unsaved().requestSubmit();
});
window.addEventListener("beforeunload", (event) => { if (!sending && unsaved()) event.preventDefault(); });
window.addEventListener("pageshow", () => { sending = false; });

// A suggestion fills a field when it is clicked.
for (const button of document.querySelectorAll("button[data-fill]")) {
  button.addEventListener("click", () => {
    const field = button.form.elements[button.dataset.fill];
    field.value = button.dataset.value;
    field.dispatchEvent(new CustomEvent("input", { bubbles: true }));
  });
}

// Many boxes are ticked or unticked at once.
for (const button of document.querySelectorAll("button[data-tick]")) {
  button.addEventListener("click", () => {
    for (const box of button.form.querySelectorAll(`input[name="${button.dataset.tick}"]`)) box.checked = !("off" in button.dataset);
  });
}

// A slider stands for a number on a logarithmic scale, and speaks it.
const speak = (slider) => slider.setAttribute("aria-valuetext", `ε ${digits(10 ** Number(slider.value))}`);
for (const slider of document.querySelectorAll("input[data-logarithm-of]")) {
  const field = slider.form.elements[slider.dataset.logarithmOf];
  const read = () => { if (Number(field.value) > 0) slider.value = String(Math.log10(Number(field.value))); speak(slider); };
  read();
  field.addEventListener("input", (event) => { if (event.detail !== slider) read(); });
  slider.addEventListener("input", () => {
    field.value = digits(10 ** Number(slider.value));
    speak(slider);
    field.dispatchEvent(new CustomEvent("input", { bubbles: true, detail: slider }));
  });
}

for (const area of document.querySelectorAll("[data-follow]")) {
  const names = area.dataset.fields.split(" ");
  const follow = (event) => {
    if (!names.includes(event.target.name)) return;
    const data = new FormData(event.target.form);
    const query = new URLSearchParams(names.map((name) => [name, data.get(name) ?? ""]));
    put(area.querySelector(".pictures"), area.dataset.follow, query);
  };
  area.closest("form").addEventListener("input", follow);
}
