// Elements, numbers as text, and the data of the page.
// Every text from the data goes in by textContent or setAttribute: a label is never read as HTML.

const D = JSON.parse(document.getElementById("data").textContent);
// The target that is shown.
let V = D.views[0];
const NS = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const num = (value, digits = 3) =>
  value === null || value === undefined ? "–" : Number(value.toPrecision(digits)).toString();
const signed = (value) => (value < 0 ? "−" : "+") + num(Math.abs(value));
const percent = (value) =>
  value === null || value === undefined ? "–" : (100 * value).toFixed(1) + "%";
const cut = (text, limit = 40) => (text.length > limit ? text.slice(0, limit - 1) + "…" : text);
const plural = (n, noun = D.noun) => n + " " + noun + (n === 1 ? "" : "s");
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const given = (column, i) => (D[column] && D[column][i] ? D[column][i] : null);
const graphName = (i) => given("names", i) || given("ids", i) || D.noun + " " + i;

// A line of code with a button that copies it.
function code(text, what) {
  const button = el("button", { type: "button", "aria-label": "Copy " + what }, "Copy");
  button.addEventListener("click", () => {
    const done = () => {
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1200);
    };
    const fallback = () => {
      const area = el("textarea", { "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
      done();
    };
    // Pages that are opened from disk may not use the clipboard of their own accord.
    if (navigator.clipboard && window.isSecureContext)
      navigator.clipboard.writeText(text).then(done, fallback);
    else fallback();
  });
  return el("p", { class: "code" }, el("code", {}, text), button);
}

function table(caption, heads, rows, attributes = {}) {
  const body = el("tbody");
  for (const row of rows) body.append(el("tr", {}, ...row));
  return el(
    "table",
    attributes,
    caption ? el("caption", {}, caption) : null,
    el("thead", {}, el("tr", {}, ...heads.map((name) => el("th", { scope: "col" }, name)))),
    body,
  );
}
