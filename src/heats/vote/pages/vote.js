// Keys for what the buttons say, no vote sent twice by a second click, and fresh numbers for the organiser.
"use strict";
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select");
  if (typing || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const key = CSS.escape(event.key.toLowerCase());
  const button = document.querySelector(`button[data-key="${key}"]`);
  const field = document.querySelector(`[data-focus="${key}"]`);
  if (button) button.click();
  else if (field) field.focus();
  else return;
  event.preventDefault();
});
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});
const begin = document.querySelector("form[data-begin]"); // a preview runs no script, so it takes nothing from anybody
if (begin) begin.requestSubmit();
const live = document.querySelector("[data-live]");
if (live) {
  setInterval(async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
      if (!answer.ok) return;
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-live]");
      if (fresh) live.replaceChildren(...fresh.childNodes);
    } catch { /* the server is away: the next look may find it */ }
  }, 5000);
}
