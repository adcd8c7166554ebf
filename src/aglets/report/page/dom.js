// Elements, numbers as text, and the data of the page.
// Every text from the data goes in by textContent or setAttribute: a label is never read as HTML.

const D = JSON.parse(document.getElementById("data").textContent);
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
  value === null || value === undefined ? "–" : (100 * value).toFixed(1) + " %";
const cut = (text, limit = 40) => (text.length > limit ? text.slice(0, limit - 1) + "…" : text);
const graphName = (i) => "graph " + i;
