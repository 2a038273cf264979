"use strict";
// Pages work without this script; it closes the rail on phones and leads to mistakes.
(() => {
  const rail = document.querySelector(".rail");
  if (rail && window.matchMedia("(max-width: 760px)").matches) rail.open = false;
  const mistakes = document.querySelector(".mistakes");
  if (mistakes) mistakes.focus();
})();
