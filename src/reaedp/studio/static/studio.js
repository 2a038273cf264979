// Pages work without scripts; this one closes the rail on phones, leads to mistakes and lets pictures follow fields.
import { digits, put } from "./answers.js";

const rail = document.querySelector(".rail");
if (rail && window.matchMedia("(max-width: 760px)").matches) rail.open = false;
document.querySelector(".mistakes[tabindex]")?.focus();

// What spends is sent once; the server refuses a second time, too.
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-once]")) return;
  for (const button of event.target.querySelectorAll("button")) button.disabled = true;
});

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
