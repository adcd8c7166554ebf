// A card per graph: what its prediction is made of.

const isWrong = new Set(D.wrong);
function explained(g) {
  const out = D.n_outputs > 1 ? D.classes.indexOf(D.predictions[g.id]) : 0;
  const rows = [];
  D.graphlets.forEach((h) => {
    if (D.n_outputs > 1 && h.output !== D.classes[out]) return;
    const psi = D.psi[g.id][h.rank];
    if (psi > 0 && g.places[h.rank])
      rows.push({ h, psi, value: h.coef * psi, places: g.places[h.rank] });
  });
  rows.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  return { out, rows };
}

function graphCard(g) {
  const { out, rows } = explained(g),
    decision = D.decisions[g.id][out];
  const nodes = g.labels.map(() => 0),
    edges = g.edges.map(() => 0),
    at = new Map(g.edges.map(([u, v], i) => [u + "/" + v, i]));
  const add = (row, sign) => {
    for (const { nodes: place, share } of row.places) {
      for (const v of place) nodes[v] += (sign * row.value * share) / place.length;
      for (const [u, v] of row.h.edges) {
        const p = place[u],
          q = place[v],
          i = at.get(Math.min(p, q) + "/" + Math.max(p, q));
        if (i !== undefined) edges[i] += (sign * row.value * share) / row.h.edges.length;
      }
    }
  };
  rows.forEach((row) => add(row, 1));
  const card = el("article", {
    class: "card" + (isWrong.has(g.id) ? " wrong" : ""),
    id: "graph-" + g.id,
    tabindex: "-1",
  });
  card.append(el("h3", {}, "Graph " + g.id));
  const says = el("p", {}, "predicted ", el("strong", {}, cut(D.predictions[g.id], 30)));
  if (D.y)
    says.append(
      D.classes ? (isWrong.has(g.id) ? ", but it is " : ", which is right") : ", true value ",
      D.classes && !isWrong.has(g.id) ? "" : el("strong", {}, cut(D.y[g.id], 30)),
    );
  card.append(says);
  const holder = el("div");
  const paint = (only) => {
    const lies = (row, i) => row.places.some((place) => place.nodes.includes(i));
    const n = only ? g.labels.map((_, i) => (lies(only, i) ? only.value : 0)) : nodes;
    const big = Math.max(1e-12, ...n.map(Math.abs)),
      e = only ? null : edges.map((v) => (v ? tint(v, Math.max(...edges.map(Math.abs))) : null));
    holder.replaceChildren(
      drawGraph(g, {
        fills: n.map((v) => tint(v, big)),
        edgeFills: e,
        width: 340,
        height: 230,
        name: "Graph " + g.id + ", nodes coloured by what they add",
      }),
    );
  };
  paint(null);
  card.append(holder);
  const table = el(
    "table",
    {},
    el(
      "caption",
      {},
      "decision " +
        signed(decision) +
        (D.classes ? " for " + cut(D.n_outputs > 1 ? D.classes[out] : D.classes[1], 24) : ""),
    ),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col" }, "from"),
        el("th", { scope: "col" }, "psi"),
        el("th", { scope: "col" }, "adds"),
      ),
    ),
  );
  const body = el("tbody");
  table.append(body);
  const line = (name, psi, value) => {
    const r = el(
      "tr",
      {},
      name,
      el("td", {}, psi),
      el("td", { class: value > 0 ? "pos" : "neg" }, signed(value)),
    );
    body.append(r);
    return r;
  };
  line(el("td", { class: "name" }, "intercept"), "", D.intercepts[out]);
  const covariates = g.covariates[out].filter((c) => c.adds !== 0);
  covariates
    .slice(0, 6)
    .forEach((c) =>
      line(
        el("td", { class: "name" }, "covariate " + cut(c.name, 24) + " = " + num(c.value, 4)),
        "",
        c.adds,
      ),
    );
  if (covariates.length > 6)
    line(
      el("td", { class: "name" }, covariates.length - 6 + " more covariates"),
      "",
      covariates.slice(6).reduce((t, c) => t + c.adds, 0),
    );
  rows.slice(0, 8).forEach((row) => {
    const name = el("td", { class: "name" });
    const link = el(
      "a",
      { href: "#graphlet-" + row.h.rank },
      "#" + (row.h.rank + 1) + " " + cut(row.h.name, 24),
    );
    link.addEventListener("click", () => {
      signs.value = "all";
      byId("graphlet-filter").value = "";
      showGraphlets();
    });
    name.append(link);
    const tr = line(name, num(row.psi), row.value);
    tr.addEventListener("mouseenter", () => paint(row));
    tr.addEventListener("mouseleave", () => paint(null));
    link.addEventListener("focus", () => paint(row));
    link.addEventListener("blur", () => paint(null));
  });
  if (rows.length > 8)
    line(
      el("td", { class: "name" }, rows.length - 8 + " more"),
      "",
      rows.slice(8).reduce((t, r) => t + r.value, 0),
    );
  card.append(table);
  return card;
}

const kinds = byId("gallery-kind");
if (D.wrong.length) kinds.append(el("option", { value: "wrong" }, "only wrong ones"));
if (D.classes)
  for (const name of D.classes)
    kinds.append(el("option", { value: "is:" + name }, "predicted " + cut(name, 30)));
const PAGE = 12;
let shownGraphs = PAGE,
  matching = [];
const cardOf = new Map();
function fillGallery() {
  byId("gallery-cards").replaceChildren(
    ...matching.slice(0, shownGraphs).map((g) => {
      if (!cardOf.has(g.id)) cardOf.set(g.id, graphCard(g));
      return cardOf.get(g.id);
    }),
  );
  byId("gallery-more").hidden = matching.length <= shownGraphs;
  byId("gallery-count").textContent = matching.length + " of " + D.n_graphs + " graphs";
}

function showGallery() {
  const kind = kinds.value,
    text = byId("gallery-search").value.trim().toLowerCase();
  matching = D.gallery.filter((g) => {
    if (kind === "wrong" && !isWrong.has(g.id)) return false;
    if (kind.startsWith("is:") && D.predictions[g.id] !== kind.slice(3)) return false;
    if (!text) return true;
    if (text.startsWith("=")) return String(g.id) === text.slice(1).trim();
    return (
      String(g.id) === text ||
      D.predictions[g.id].toLowerCase().includes(text) ||
      (D.y && D.y[g.id].toLowerCase().includes(text)) ||
      g.labels.some((l) => l.toLowerCase() === text)
    );
  });
  shownGraphs = PAGE;
  fillGallery();
}
