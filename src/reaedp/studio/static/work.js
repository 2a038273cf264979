// Work that takes long: its piece of the page is asked for again until it is over, and then the page, or what it waits for.
const place = document.querySelector("[data-poll]");

const over = () => {
  const next = document.querySelector("[data-when-done]");
  if (next) next.submit(); else location.reload();
};
const look = async () => {
  try {
    const answer = await fetch(place.dataset.poll);
    if (!answer.ok) return over();
    const text = await answer.text();
    if (text !== place.dataset.last) place.innerHTML = place.dataset.last = text;
    if (!place.querySelector('[data-running="yes"]')) return over();
    const stop = document.querySelector("[data-until-charged]");
    if (stop && !place.querySelector('[data-stoppable="yes"]')) stop.hidden = true;
  } catch { /* the server may be busy, or gone: the next look tells */ }
  return setTimeout(look, 700);
};
if (place) setTimeout(look, 300);
// Work that was over before its page came.
document.querySelector("[data-at-once]")?.submit();
