// Work that takes long: its piece of the page is asked for again until it is over, and then the page.
(() => {
  const place = document.querySelector("[data-poll]");
  if (!place) return;
  const look = async () => {
    try {
      const answer = await fetch(place.dataset.poll);
      if (!answer.ok) return location.reload();
      const text = await answer.text();
      if (text !== place.dataset.last) place.innerHTML = place.dataset.last = text;
      if (!place.querySelector('[data-running="yes"]')) return location.reload();
      const stop = document.querySelector("[data-until-charged]");
      if (stop && !place.querySelector('[data-stoppable="yes"]')) stop.hidden = true;
    } catch { /* the server may be busy, or gone: the next look tells */ }
    setTimeout(look, 700);
  };
  setTimeout(look, 300);
})();
