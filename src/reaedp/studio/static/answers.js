// Pieces of a page that the server draws: a place asks one question at a time, and the newest waits for its turn.
// A place is busy until the answer to the newest question stands in it.
const asked = new Map();
const digits = (value) => String(Number(value.toPrecision(2)));

const stand = (place, text) => {
  const again = place.contains(document.activeElement) && document.activeElement.matches("[data-draw]");
  const unfolded = [...place.querySelectorAll("details")].map((part) => part.open);
  place.innerHTML = text;
  place.querySelectorAll("details").forEach((part, number) => { part.open = unfolded[number] ?? false; });
  if (again) place.querySelector("[data-draw]")?.focus();
};

const put = async (place, address, query) => {
  const waiting = asked.has(place);
  asked.set(place, `${address}?${query}`);
  if (waiting) return;
  place.setAttribute("aria-busy", "true");
  for (let sent = ""; sent !== asked.get(place);) {
    sent = asked.get(place);
    try {
      const answer = await fetch(sent);
      if (answer.ok) stand(place, await answer.text());
    } catch { /* the server may be busy, or gone: the next question tells */ }
  }
  asked.delete(place);
  place.removeAttribute("aria-busy");
};

export { digits, put };
