// The pages work without this. With it: keys for what the buttons say, votes that need no new page and are kept on the
// page while there is no connection, one choice per place in a ranking, and fresh numbers for whoever waits.
"use strict";

const find = (what, where = document) => where.querySelector(what);
const list = (what, where = document) => [...where.querySelectorAll(what)];
const store = (() => { try { return localStorage; } catch { return null; } })(); // some browsers keep nothing
let busy = false;

// What was done is said after the region for it is there: only then do screen readers read it out.
function say(text) {
  const region = find("[role=status]");
  if (!region) return;
  region.textContent = "";
  setTimeout(() => { region.textContent = text; }, 100);
}

function warn(text) {
  const region = document.createElement("p");
  region.className = "warning";
  region.setAttribute("role", "alert");
  find("main > .warning[role=alert]")?.remove();
  find("main").prepend(region);
  region.textContent = text;
  region.scrollIntoView({ block: "nearest" });
}

async function load(address, options) {
  const answer = await fetch(address, { signal: AbortSignal.timeout?.(30000), ...options });
  return [answer, new DOMParser().parseFromString(await answer.text(), "text/html")];
}

function show(fresh, text) {
  const main = document.importNode(find("main", fresh), true);
  text ??= find("[role=status]", main)?.textContent ?? "";
  document.title = fresh.title;
  find("main").replaceWith(main);
  scrollTo(0, 0);
  find("[data-start]")?.focus({ preventScroll: true });
  loadAhead();
  offerKeys();
  say(text);
}

async function send(form, button) {
  busy = true;
  find("main").setAttribute("aria-busy", "true");
  try {
    const body = new URLSearchParams(new FormData(form));
    if (button?.name) body.set(button.name, button.value);
    const [answer, fresh] = await load(form.action, { method: "POST", body });
    if (answer.headers.has("Refresh")) location.assign(answer.url); // a page that leads on by itself
    else if (answer.ok) show(fresh);
    else warn(find("[role=alert]", fresh)?.textContent ?? "Something went wrong; load this page again.");
  } catch {
    warn("No answer came, so it is not known whether this was counted. Try again: it counts once.");
  }
  busy = false;
  find("main").removeAttribute("aria-busy");
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (busy || form.dataset.sent) event.preventDefault();
  else if (!form.matches("[data-swap]")) form.dataset.sent = "yes";
  else {
    event.preventDefault();
    send(form, event.submitter);
  }
});
// The second click of a double click is none: where answers come fast, it would be a vote on what comes next.
document.addEventListener("click", (event) => {
  if (event.detail > 1 && event.target.closest("[data-swap] button")) event.preventDefault();
});
addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});

// Rankings, best and worst: no place is given twice, and a number gives the next place.
const chosen = (name) => find(`input[name="${name}"]:checked`)?.value ?? "";

function leaveOthers(field) {
  if (!field.checked || !field.value) return;
  const isPlace = field.name.startsWith("place-");
  for (const other of list(".card input:checked").filter((each) => each !== field)) {
    const card = other.closest(".card");
    if (isPlace && other.value === field.value) find('input[value=""]', card).checked = true;
    if (!isPlace && card === field.closest(".card")) other.checked = false;
  }
}

function choose(form, key) {
  const card = list(".card", form)[key - 1];
  let field;
  if (form.dataset.answer === "best-worst") {
    const name = chosen("best") && chosen("best") !== key ? "worst" : "best";
    field = find(`input[name=${name}]`, card);
    field.checked = !field.checked;
  } else {
    const taken = list(".card input:checked", form).map((each) => each.value);
    const own = chosen(`place-${key}`);
    const next = list("input", card).find((each) => !taken.includes(each.value));
    field = own ? find('input[value=""]', card) : next;
    if (!field) return;
    field.checked = true;
  }
  leaveOthers(field);
  say(`Candidate ${key}: ${field.checked ? field.labels[0].textContent.trim() : "no choice"}`);
}

document.addEventListener("change", (event) => {
  if (event.target.matches(".card input")) leaveOthers(event.target);
  if (event.target.matches("[data-keys]")) store?.setItem("keys", event.target.checked ? "on" : "off");
});

// Keys can be turned off: who speaks to their computer may press some without meaning to.
function offerKeys() {
  const box = find("[data-keys]");
  if (!box) return;
  box.checked = store?.getItem("keys") !== "off";
  box.closest("[hidden]")?.removeAttribute("hidden");
}

document.addEventListener("keydown", (event) => {
  const isTyped = event.target.matches("input:not([type=checkbox], [type=radio]), textarea, select") || event.isComposing;
  const isTheirs = event.ctrlKey || event.metaKey || event.altKey || event.repeat;
  if (isTyped || isTheirs || busy || find("[data-keys]:not(:checked)")) return;
  const key = event.key.toLowerCase();
  if (key === "enter" && event.target.matches("a, button, summary, audio, video")) return;
  const button = find(`button[data-key="${CSS.escape(key)}"]`);
  const form = find("form[data-answer]:not([data-answer=winner])");
  if (button) button.click();
  else if (form && /^[1-9]$/.test(key) && key <= list(".card", form).length) choose(form, key);
  else return;
  event.preventDefault();
});

// One sound or film at a time.
document.addEventListener("play", (event) => {
  for (const other of list("audio, video")) if (other !== event.target) other.pause();
}, true);

// Whoever waits sees what is new without doing anything; nobody is disturbed in what they read, choose or hold.
setInterval(async () => {
  const old = list("[data-fresh]");
  if (!old.length || busy || document.hidden) return;
  try {
    const [answer, fresh] = await load(location.href);
    if (!answer.ok || busy || !old[0].isConnected) return;
    const now = list("[data-fresh]", fresh);
    if (!now.length) {
      if (find(".cards, [data-begin]", fresh)) show(fresh, "There is something for you again.");
      else location.reload();
    }
    old.forEach((each, place) => {
      const held = each.value || each.matches(":focus") || find(":focus:not([data-start])", each);
      const other = now[place];
      if (other && !held && each.innerHTML !== other.innerHTML) each.replaceWith(document.importNode(other, true));
    });
  } catch { /* the server is away: the next look may find it */ }
}, 5000);

// Safari does not load ahead by itself.
function loadAhead() {
  for (const link of list("link[rel=prefetch]")) if (!link.relList.supports("prefetch")) new Image().src = link.href;
}

const here = new URL(location.href);
if (here.searchParams.has("said")) {
  here.searchParams.delete("said"); // so that a page loaded again does not say it again
  history.replaceState(null, "", here);
}
loadAhead();
offerKeys();
say(find("[role=status]")?.textContent ?? "");
find("form[data-begin]")?.requestSubmit(); // a preview runs no script, so it takes nothing from anybody
