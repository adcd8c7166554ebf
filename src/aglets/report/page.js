"use strict";
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
const percent = (value) => (value === null || value === undefined ? "–" : (100 * value).toFixed(1) + " %");
const cut = (text, limit = 40) => (text.length > limit ? text.slice(0, limit - 1) + "…" : text);
const graphName = (i) => "graph " + i;

// Colours ------------------------------------------------------------------------------------
const parts = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
function between(one, other, share) {
  const a = parts(one), b = parts(other), s = Math.min(1, share);
  return "#" + a.map((v, i) => Math.round(v + s * (b[i] - v)).toString(16).padStart(2, "0")).join("");
}
const tint = (value, largest) =>
  largest > 0 && value ? between(D.colours.neutral, value > 0 ? D.colours.positive : D.colours.negative, Math.abs(value) / largest) : D.colours.neutral;
function inkOn(colour) {
  const [r, g, b] = parts(colour).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return (light + 0.05) ** 2 > 0.0525 ? "#000000" : "#ffffff";
}
const classColour = (name) => {
  const c = D.classes ? D.classes.indexOf(name) : 0;
  return D.colours.classes[(c < 0 ? 0 : c) % D.colours.classes.length];
};

// A graph --------------------------------------------------------------------------------------
const BONDS = { "=": 2, "#": 3, "$": 4, ":": 2 };
function drawGraph(g, { fills = null, edgeFills = null, width = 280, height = 170, name = "", numbered = false } = {}) {
  const xs = g.xy.map((p) => p[0] / 100), ys = g.xy.map((p) => p[1] / 100);
  const x0 = Math.min(...xs) - 0.5, x1 = Math.max(...xs) + 0.5, y0 = Math.min(...ys) - 0.5, y1 = Math.max(...ys) + 0.5;
  const unit = Math.min(52, width / (x1 - x0), height / (y1 - y0));
  const w = (x1 - x0) * unit, h = (y1 - y0) * unit;
  const root = svg("svg", { viewBox: `${x0} ${y0} ${x1 - x0} ${y1 - y0}`, width: w.toFixed(0), height: h.toFixed(0), role: "img", "aria-label": name });
  g.edges.forEach(([u, v], i) => {
    const bond = g.bonds ? g.bonds[i] : null, count = BONDS[bond] || 1;
    const dx = xs[v] - xs[u], dy = ys[v] - ys[u], length = Math.hypot(dx, dy) || 1;
    for (let k = 0; k < count; k++) {
      const shift = 0.07 * (2 * k - (count - 1)), sx = (-dy / length) * shift, sy = (dx / length) * shift;
      const line = svg("line", { x1: xs[u] + sx, y1: ys[u] + sy, x2: xs[v] + sx, y2: ys[v] + sy, "stroke-width": edgeFills && edgeFills[i] ? 0.1 : 0.05, class: "bond" });
      if (bond === ":" && k === 1) line.setAttribute("stroke-dasharray", ".12 .08");
      if (edgeFills && edgeFills[i]) line.style.stroke = edgeFills[i];
      root.append(line);
    }
  });
  g.labels.forEach((label, i) => {
    const fill = fills ? fills[i] : D.colours.labels[label] || "#cccccc";
    const shown = cut(label, 4), two = numbered && unit > 26;
    const title = svg("title"); title.textContent = `node ${i}: ${label}`;
    const text = svg("text", { x: xs[i], y: ys[i] - (two ? 0.07 : 0), "font-size": shown.length < 3 ? 0.34 : 0.2, "text-anchor": "middle", "dominant-baseline": "central" });
    text.style.fill = inkOn(fill); text.textContent = shown;
    const node = svg("g", {}, title, svg("circle", { cx: xs[i], cy: ys[i], r: 0.31, fill, stroke: "#666666", "stroke-width": 0.03 }), text);
    if (two) {
      const number = svg("text", { x: xs[i], y: ys[i] + 0.19, "font-size": 0.15, "text-anchor": "middle", "dominant-baseline": "central" });
      number.style.fill = inkOn(fill); number.textContent = i; node.append(number);
    }
    root.append(node);
  });
  return root;
}

// Axes -------------------------------------------------------------------------------------------
function axes({ width = 300, height = 240, x = [0, 1], y = [0, 1], xName = "", yName = "", name = "", logX = false, logY = false, flipX = false }) {
  const left = 46, right = 18, top = 10, bottom = 38;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": name, style: "max-width:100%;height:auto" });
  const scale = (v, [a, b], log) => (log ? (Math.log(v) - Math.log(a)) / (Math.log(b) - Math.log(a) || 1) : (v - a) / (b - a || 1));
  const px = (v) => { const s = scale(v, x, logX); return left + (flipX ? 1 - s : s) * (width - left - right); };
  const py = (v) => height - bottom - scale(v, y, logY) * (height - top - bottom);
  root.append(svg("path", { class: "axis", d: `M${left},${top}V${height - bottom}H${width - right}` }));
  const ticks = ([a, b], log) => [0, 0.5, 1].map((s) => (log ? Math.exp(Math.log(a) + s * (Math.log(b) - Math.log(a))) : a + s * (b - a)));
  const put = (tx, ty, text, anchor, turn) => { const t = svg("text", { x: tx, y: ty, "font-size": 11, "text-anchor": anchor, class: "faint" }); if (turn) t.setAttribute("transform", `rotate(-90 ${tx} ${ty})`); t.textContent = text; root.append(t); };
  for (const v of ticks(x, logX)) put(px(v), height - bottom + 14, num(v, 2), "middle");
  for (const v of ticks(y, logY)) put(left - 4, py(v) + 4, num(v, 2), "end");
  put((left + width - right) / 2, height - 6, xName, "middle");
  put(10, (top + height - bottom) / 2, yName, "middle", true);
  const line = (points, colour, dash) => { const p = svg("path", { d: points.filter(([a, b]) => a !== null && b !== null).map(([a, b], i) => `${i ? "L" : "M"}${px(a).toFixed(1)},${py(b).toFixed(1)}`).join(""), fill: "none", stroke: colour, "stroke-width": 2 }); if (dash) p.setAttribute("stroke-dasharray", dash); root.append(p); return p; };
  return { root, px, py, line };
}
const extent = (values) => { const v = values.filter((u) => u !== null && isFinite(u)); return v.length ? [Math.min(...v), Math.max(...v)] : [0, 1]; };
function figure(picture, caption) { return el("figure", {}, picture, el("figcaption", {}, caption)); }
function key(names, colours, dashes = []) {
  const line = el("span", {});
  names.forEach((name, i) => { const mark = el("span", { "aria-hidden": "true" }, dashes[i] ? " ┄ " : " ━ "); mark.style.color = colours[i]; line.append(mark, name); });
  return line;
}
const tip = byId("tip");
function withTip(node, text) {
  node.setAttribute("aria-label", text);
  const show = () => { tip.textContent = text; tip.hidden = false; const r = node.getBoundingClientRect(); tip.style.left = Math.max(4, Math.min(window.innerWidth - 200, r.right + 6)) + "px"; tip.style.top = Math.max(4, Math.min(window.innerHeight - 60, r.bottom + 6)) + "px"; };
  const hide = () => { tip.hidden = true; };
  node.addEventListener("mouseenter", show); node.addEventListener("focus", show);
  node.addEventListener("mouseleave", hide); node.addEventListener("blur", hide);
}

// Links to graphs of the gallery ---------------------------------------------------------------
const inGallery = new Set(D.gallery.map((g) => g.id));
function graphLink(i) {
  if (!inGallery.has(i)) return el("span", {}, String(i));
  const link = el("a", { href: "#graph-" + i }, String(i));
  link.setAttribute("aria-label", graphName(i));
  link.addEventListener("click", () => openGraph(i));
  return link;
}
function openGraph(i) {
  byId("gallery-kind").value = "all"; byId("gallery-search").value = "=" + i;
  showGallery();
}
function graphLinks(list) { const span = el("span", {}); list.forEach((i, k) => span.append(k ? ", " : "", graphLink(i))); return span; }

// Summary and quality ----------------------------------------------------------------------------
for (const sentence of D.sentences) byId("summary").append(el("p", {}, sentence));
function showQuality() {
  const body = byId("quality-body"), q = D.quality;
  if (!q) { body.append(el("p", {}, "No classes or numbers were given, so there is nothing to compare with.")); return; }
  const rows = [["this model", q.score], ...q.baselines.map((b) => [b.name, b.score])];
  const show = q.score_name === "accuracy" ? percent : num;
  const table = el("table", {}, el("caption", {}, "Beside answers that know no structure"), el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "answer"), el("th", { scope: "col" }, q.score_name))));
  const inner = el("tbody"); table.append(inner);
  for (const [name, score] of rows) inner.append(el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, show(score))));
  body.append(el("div", {}, table, el("p", { class: "small" }, "If the model was fitted on these graphs, its own score is too good to expect on others.")));
  if (q.confusion) {
    const c = el("table", {}, el("caption", {}, "Rows: true class. Columns: predicted."), el("thead", {}, el("tr", {}, el("td"), ...D.classes.map((name) => el("th", { scope: "col" }, cut(name, 20))))));
    const b = el("tbody"); c.append(b);
    q.confusion.forEach((row, i) => b.append(el("tr", {}, el("th", { scope: "row" }, cut(D.classes[i], 20)), ...row.map((n) => el("td", {}, String(n))))));
    body.append(el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Confusion matrix" }, c));
  }
  if (q.roc) {
    const a = axes({ xName: "false positives", yName: "true positives", name: "ROC curve, AUC " + num(q.auc), width: 260, height: 230 });
    a.line([[0, 0], [1, 1]], "var(--line)", "4 4"); a.line(q.roc.false.map((v, i) => [v, q.roc.true[i]]), "var(--accent)");
    body.append(figure(a.root, "ROC curve for " + cut(D.classes[1], 20) + ", AUC " + num(q.auc)));
  }
  if (q.calibration) {
    const a = axes({ xName: "probability told", yName: "part that is true", name: "Calibration", width: 260, height: 230 });
    a.line([[0, 0], [1, 1]], "var(--line)", "4 4"); a.line(q.calibration.told.map((v, i) => [v, q.calibration.true[i]]), "var(--accent)");
    q.calibration.told.forEach((v, i) => a.root.append(svg("circle", { cx: a.px(v), cy: a.py(q.calibration.true[i]), r: 3 + Math.sqrt(q.calibration.count[i]) / 3, fill: "var(--accent)", "fill-opacity": 0.6 })));
    body.append(figure(a.root, "Calibration; larger dots are more graphs"));
  } else if (q.histogram) {
    const h = q.histogram, top = Math.max(1, ...h.counts.flat());
    const a = axes({ x: [h.edges[0], h.edges[h.edges.length - 1]], y: [0, top], xName: "decision", yName: "graphs", name: "Decisions by class", width: 260, height: 230 });
    h.counts.forEach((counts, c) => counts.forEach((n, i) => { if (n) a.root.append(svg("rect", { x: a.px(h.edges[i]), y: a.py(n), width: Math.max(1, a.px(h.edges[i + 1]) - a.px(h.edges[i]) - 1), height: a.py(0) - a.py(n), fill: D.colours.classes[c], "fill-opacity": 0.6 })); }));
    body.append(figure(a.root, el("span", {}, "Decisions by true class; above 0 the answer is " + cut(D.classes[1], 20) + ".", key(D.classes.map((n) => cut(n, 20)), D.colours.classes))));
  }
  if (q.fit) {
    const range = extent([...q.fit.true, ...q.fit.told]);
    const a = axes({ x: range, y: range, xName: "true", yName: "told", name: "Predictions against the truth", width: 260, height: 230 });
    a.line([[range[0], range[0]], [range[1], range[1]]], "var(--line)", "4 4");
    q.fit.true.forEach((v, i) => a.root.append(svg("circle", { cx: a.px(v), cy: a.py(q.fit.told[i]), r: 3, fill: "var(--accent)", "fill-opacity": 0.6 })));
    body.append(figure(a.root, "Predictions; typical error " + num(q.error)));
  }
}

// Graphlet cards -----------------------------------------------------------------------------------
function attributeBars(g) {
  const k = g.attributes.length, d = k ? g.attributes[0].length : 0;
  if (!d) return null;
  const cell = d <= 4 ? 56 : d <= 6 ? 44 : Math.max(8, 250 / d), high = 44, left = 50, base = d <= 6 ? 30 : 16;
  const width = left + d * cell, height = k * high + base;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": "Attributes of every node", style: "max-width:100%;height:auto" });
  const write = (x, y, text, size, anchor = "middle", full = text) => { const t = svg("text", { x, y, "font-size": size, "text-anchor": anchor }); t.textContent = text; if (full !== text) { const title = svg("title"); title.textContent = full; t.append(title); } root.append(t); };
  for (let j = 0; j < d; j++) {
    let reach = 0, below = false;
    for (let i = 0; i < k; i++) { const m = g.mean[i][j] ?? 0, s = g.spread[i][j] ?? 0; reach = Math.max(reach, Math.abs(g.attributes[i][j]), Math.abs(m) + s); }
    reach = reach || 1;
    for (let i = 0; i < k; i++) below = below || g.attributes[i][j] < -1e-9 * reach || (g.mean[i][j] ?? 0) < -1e-9 * reach;
    const room = below ? 14 : 28, unit = room / reach, x = left + (j + 0.5) * cell;
    for (let i = 0; i < k; i++) {
      const zero = i * high + (below ? 17 : 31), v = g.attributes[i][j], m = g.mean[i][j], s = g.spread[i][j];
      root.append(svg("line", { x1: x - cell * 0.4, x2: x + cell * 0.4, y1: zero, y2: zero, class: "axis" }));
      root.append(svg("rect", { x: x - cell * 0.26, width: cell * 0.52, y: v > 0 ? zero - v * unit : zero, height: Math.abs(v) * unit, fill: g.coef > 0 ? "var(--accent)" : "var(--warm)", "fill-opacity": 0.85 }));
      if (m !== null && m !== undefined) {
        const low = Math.max(below ? -reach : 0, m - s), up = Math.min(reach, m + s);
        root.append(svg("line", { x1: x, x2: x, y1: zero - low * unit, y2: zero - up * unit, class: "markline" }), svg("line", { x1: x - cell * 0.17, x2: x + cell * 0.17, y1: zero - m * unit, y2: zero - m * unit, class: "markline", "stroke-width": 2.5 }));
      }
      if (d <= 6) write(x, i * high + 42, num(v, 2), 9);
    }
    const given = D.attribute_names[j] || String(j), name = /^attribute \d+$/.test(given) ? given.slice(10) : given;
    if (d <= 6) { const bits = name.split(/[ _]/); const first = bits.length > 1 ? bits.slice(0, Math.ceil(bits.length / 2)).join(" ") : name; const second = bits.length > 1 ? bits.slice(Math.ceil(bits.length / 2)).join(" ") : ""; write(x, k * high + 12, cut(first, d <= 4 ? 11 : 8), 9, "middle", name); write(x, k * high + 23, cut(second, d <= 4 ? 11 : 8), 9, "middle", name); }
    else if (j % Math.ceil(d / 10) === 0) write(x, k * high + 11, String(j), 9, "middle", name);
  }
  for (let i = 0; i < k; i++) write(2, i * high + 24, i + ": " + cut(g.labels[i], 6), 10, "start", g.labels[i]);
  return root;
}
function graphletCard(g) {
  const card = el("article", { class: "card", id: "graphlet-" + g.rank, tabindex: "-1" });
  card.append(el("h3", {}, "#" + (g.rank + 1) + "  " + cut(g.name, 60)));
  const weight = el("p", {}, "weight "); weight.append(el("strong", { class: g.coef > 0 ? "pos" : "neg" }, signed(g.coef)));
  if (g.speaks_for !== null) weight.append(" for " + cut(g.speaks_for, 30));
  if (g.auc !== null) weight.append(", AUC " + num(g.auc));
  if (g.stability !== null) weight.append(", found again in " + percent(g.stability) + " of subsamples");
  if (g.correlation !== null) weight.append(", correlation " + num(g.correlation));
  card.append(weight, drawGraph(g, { name: "Graphlet " + g.name, numbered: g.attributes.length > 0 && g.attributes[0].length > 0 }));
  const bars = attributeBars(g); if (bars) card.append(bars);
  const classes = Object.keys(g.support);
  const where = classes.length ? classes.map((c) => g.support[c] + " of " + cut(c, 20) + " (mean psi " + num(g.mean_psi[c], 2) + ")").join(", ") : g.n_support + " graphs";
  card.append(el("p", { class: "small" }, "occurs in " + where));
  if (g.best.length) { const p = el("p", {}, "best match in "); p.append(graphLinks(g.best)); if (g.worst.length) p.append("; least in ", graphLinks(g.worst)); card.append(p); }
  return card;
}
D.graphlets.forEach((g, rank) => { g.rank = rank; });
if (D.graphlets.some((g) => g.stability !== null)) byId("graphlet-sort").append(el("option", { value: "stability" }, "stability"));
const signs = byId("graphlet-sign");
for (const name of [...new Set(D.graphlets.map((g) => g.speaks_for))].filter((v) => v !== null)) signs.append(el("option", { value: "for:" + name }, "for " + cut(name, 30)));
if (!D.classes) signs.append(el("option", { value: "up" }, "raising"), el("option", { value: "down" }, "lowering"));
const graphletCards = D.graphlets.map(graphletCard);
function showGraphlets() {
  const by = byId("graphlet-sort").value, sign = signs.value, text = byId("graphlet-filter").value.trim().toLowerCase();
  const order = { weight: (g) => -Math.abs(g.coef), auc: (g) => -(g.auc ?? Math.abs(g.correlation ?? 0)), support: (g) => -g.n_support, stability: (g) => -(g.stability ?? 0), size: (g) => g.labels.length };
  let list = D.graphlets.filter((g) => (sign === "all" || sign === "for:" + g.speaks_for || (sign === "up" && g.coef > 0) || (sign === "down" && g.coef < 0)) && (!text || g.name.toLowerCase().includes(text) || g.labels.some((l) => l.toLowerCase() === text)));
  list.sort((a, b) => (by === "name" ? a.name.localeCompare(b.name) : order[by](a) - order[by](b)) || a.rank - b.rank);
  byId("graphlet-cards").replaceChildren(...list.map((g) => graphletCards[g.rank]));
  byId("graphlet-count").textContent = list.length + " of " + D.graphlets.length;
}

function showCovariates() {
  if (!D.covariates.length) return;
  const body = byId("covariates-body"), heads = ["covariate", "adds, by a standard deviation", "adds, by one", "mean", ...(D.classes ? ["more speaks for"] : [])];
  body.append(el("h3", {}, "Covariates"), el("p", {}, "Numbers of the whole graph, which are no graphlets. They add to the decision what is above or below their mean in training, times a weight."));
  const table = el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((name) => el("th", { scope: "col" }, name))))), inner = el("tbody"); table.append(inner);
  for (const c of D.covariates) inner.append(el("tr", {}, el("th", { scope: "row" }, cut(c.name, 40)), el("td", { class: c.effect > 0 ? "pos" : "neg" }, signed(c.effect)), el("td", {}, signed(c.coef)), el("td", {}, num(c.center)), ...(D.classes ? [el("td", {}, cut(String(c.speaks_for), 30))] : [])));
  body.append(el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Covariates" }, table));
}

// The slider -----------------------------------------------------------------------------------
function showPath() {
  const body = byId("path-body"), p = D.path;
  if (!p) { body.append(el("p", {}, "The model holds no record of its path.")); return; }
  const s = p.stops, n = s.lam.length;
  body.append(el("p", {}, "A larger penalty lambda leaves fewer graphlets. Move the slider to trade score against simplicity." + (p.refitted ? " This model came without its path: here the weights of its graphlets are fitted again to the graphs of this page, and scores are those of 5-fold validation." : p.models.length ? "" : " The graphlets of each stop are not known.")));
  const slider = el("input", { type: "range", id: "lambda", min: "0", max: String(n - 1), value: String(n - 1), step: "1" });
  const says = el("output", { id: "lambda-says", for: "lambda" });
  body.append(el("p", {}, el("label", { for: "lambda" }, "lambda, from large to small "), slider), el("p", {}, says));
  const curves = [["here", "these graphs", "var(--accent)"], ["train", "training", "var(--faint)"], ["validation", "validation", "var(--warm)"]].filter(([k]) => s[k] && s[k].some((v) => v !== null));
  const lams = extent(s.lam), marks = [];
  const picture = (name, lines, range) => { const a = axes({ x: lams, y: range, xName: "lambda", yName: name, logX: lams[0] > 0 && lams[1] > lams[0], flipX: true, name: name + " over lambda", width: 340, height: 210 }); for (const [values, colour, dash] of lines) a.line(s.lam.map((v, i) => [v, values[i]]), colour, dash); const mark = svg("line", { y1: 10, y2: 172, class: "markline", "stroke-dasharray": "3 3" }); a.root.append(mark); marks.push([mark, a]); return a.root; };
  const row = el("div", { class: "row" });
  if (curves.length) row.append(figure(picture("score", curves.map(([k, , c], i) => [s[k], c, i === 2 ? "5 4" : ""]), extent(curves.flatMap(([k]) => s[k]))), key(curves.map((c) => c[1]), curves.map((c) => c[2]), [0, 0, 1])));
  row.append(figure(picture("graphlets", [[s.n, "var(--accent)"]], [0, Math.max(1, ...s.n)]), "number of graphlets"));
  const thumbs = el("div", { class: "thumbs", id: "lambda-thumbs" });
  body.append(row, thumbs);
  function move() {
    const i = Number(slider.value);
    const text = "lambda " + num(s.lam[i]) + ": " + s.n[i] + " graphlet" + (s.n[i] === 1 ? "" : "s") + curves.map(([k, name]) => (s[k][i] === null ? "" : ", score on " + name + " " + num(s[k][i]))).join("");
    says.textContent = text; slider.setAttribute("aria-valuetext", text);
    for (const [mark, a] of marks) { mark.setAttribute("x1", a.px(s.lam[i])); mark.setAttribute("x2", a.px(s.lam[i])); }
    if (!p.models.length) return;
    thumbs.replaceChildren(...p.models[i].map(([at, coef]) => { const g = p.pictures[at]; return el("figure", {}, drawGraph(g, { width: 140, height: 90, name: "Graphlet " + g.name }), el("figcaption", {}, el("strong", { class: coef > 0 ? "pos" : "neg" }, signed(coef)), " " + cut(g.name, 24))); }));
    if (s.n[i] > p.models[i].length) thumbs.append(el("p", { class: "small" }, "and " + (s.n[i] - p.models[i].length) + " weaker ones"));
  }
  slider.addEventListener("input", move); move();
}

// Two graphlets -----------------------------------------------------------------------------------
function showScatter() {
  const body = byId("scatter-body");
  if (D.graphlets.length < 2) { body.append(el("p", {}, "A scatter needs two graphlets.")); return; }
  const choose = (id, label, value) => { const select = el("select", { id }); D.graphlets.forEach((g) => select.append(el("option", { value: g.rank }, "#" + (g.rank + 1) + " " + cut(g.name, 40) + " (" + signed(g.coef) + ")"))); select.value = value; return [el("label", {}, label + " ", select), select]; };
  const up = D.graphlets.find((g) => g.coef > 0), down = D.graphlets.find((g) => g.coef < 0);
  const [one, xs] = choose("scatter-x", "Across", up && down ? up.rank : 0), [two, ys] = choose("scatter-y", "Upwards", up && down ? down.rank : 1);
  const place = el("div", { id: "scatter-plot" });
  body.append(el("div", { class: "controls" }, one, two), place);
  function draw() {
    const i = Number(xs.value), j = Number(ys.value);
    const a = axes({ x: [0, 1], y: [0, 1], xName: "psi of #" + (i + 1), yName: "psi of #" + (j + 1), width: 460, height: 400, name: "Graphs by their psi of two graphlets" });
    a.root.setAttribute("role", "group");
    const heaps = new Map();
    D.psi.forEach((row, k) => { const id = row[i].toFixed(2) + "/" + row[j].toFixed(2) + "/" + (D.y && D.classes ? D.y[k] : ""); if (!heaps.has(id)) heaps.set(id, []); heaps.get(id).push(k); });
    for (const heap of heaps.values()) {
      const k = heap[0], dot = svg("circle", { cx: a.px(D.psi[k][i]), cy: a.py(D.psi[k][j]), r: 3.5 + Math.min(8, Math.sqrt(heap.length) - 1), fill: D.y && D.classes ? classColour(D.y[k]) : "var(--accent)", "fill-opacity": 0.6, tabindex: "0", role: "button", class: "dot" });
      withTip(dot, (heap.length === 1 ? graphName(k) : heap.length + " graphs: " + cut(heap.join(", "), 40)) + (D.y ? ", true " + cut(D.y[k], 30) : "") + ", psi " + num(D.psi[k][i]) + " and " + num(D.psi[k][j]));
      const open = () => { if (inGallery.has(k)) { openGraph(k); byId("gallery").scrollIntoView(); } };
      dot.addEventListener("click", open); dot.addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
      a.root.append(dot);
    }
    const caption = el("span", {}, D.graphlets[i].name + " across, " + D.graphlets[j].name + " upwards; larger dots are several graphs.");
    if (D.classes) caption.append(key(D.classes.map((n) => cut(n, 20)), D.classes.map(classColour)));
    place.replaceChildren(figure(a.root, caption));
  }
  xs.addEventListener("change", draw); ys.addEventListener("change", draw); draw();
}

// Gallery ---------------------------------------------------------------------------------------------
const isWrong = new Set(D.wrong);
function explained(g) {
  const out = D.n_outputs > 1 ? D.classes.indexOf(D.predictions[g.id]) : 0;
  const rows = [];
  D.graphlets.forEach((h) => {
    if (D.n_outputs > 1 && h.output !== D.classes[out]) return;
    const psi = D.psi[g.id][h.rank];
    if (psi > 0 && g.sites[h.rank]) rows.push({ h, psi, value: h.coef * psi, site: g.sites[h.rank] });
  });
  rows.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  return { out, rows };
}
function graphCard(g) {
  const { out, rows } = explained(g), decision = D.decisions[g.id][out];
  const nodes = g.labels.map(() => 0), edges = g.edges.map(() => 0), at = new Map(g.edges.map(([u, v], i) => [u + "/" + v, i]));
  const add = (row, sign) => {
    for (const v of row.site) nodes[v] += sign * row.value;
    for (const [u, v] of row.h.edges) { const p = row.site[u], q = row.site[v], i = at.get(Math.min(p, q) + "/" + Math.max(p, q)); if (i !== undefined) edges[i] += sign * row.value; }
  };
  rows.forEach((row) => add(row, 1));
  const card = el("article", { class: "card" + (isWrong.has(g.id) ? " wrong" : ""), id: "graph-" + g.id, tabindex: "-1" });
  card.append(el("h3", {}, "Graph " + g.id));
  const says = el("p", {}, "predicted ", el("strong", {}, cut(D.predictions[g.id], 30)));
  if (D.y) says.append(D.classes ? (isWrong.has(g.id) ? ", but it is " : ", which is right") : ", true value ", D.classes && !isWrong.has(g.id) ? "" : el("strong", {}, cut(D.y[g.id], 30)));
  card.append(says);
  const holder = el("div");
  const paint = (only) => {
    const n = only ? g.labels.map((_, i) => (only.site.includes(i) ? only.value : 0)) : nodes;
    const big = Math.max(1e-12, ...n.map(Math.abs)), e = only ? null : edges.map((v) => (v ? tint(v, Math.max(...edges.map(Math.abs))) : null));
    holder.replaceChildren(drawGraph(g, { fills: n.map((v) => tint(v, big)), edgeFills: e, width: 340, height: 230, name: "Graph " + g.id + ", nodes coloured by what they add" }));
  };
  paint(null);
  card.append(holder);
  const table = el("table", {}, el("caption", {}, "decision " + signed(decision) + (D.classes ? " for " + cut(D.n_outputs > 1 ? D.classes[out] : D.classes[1], 24) : "")), el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "from"), el("th", { scope: "col" }, "psi"), el("th", { scope: "col" }, "adds"))));
  const body = el("tbody"); table.append(body);
  const line = (name, psi, value) => { const r = el("tr", {}, name, el("td", {}, psi), el("td", { class: value > 0 ? "pos" : "neg" }, signed(value))); body.append(r); return r; };
  line(el("td", { class: "name" }, "intercept"), "", D.intercepts[out]);
  const beside = g.beside[out].filter((c) => c.adds !== 0);
  beside.slice(0, 6).forEach((c) => line(el("td", { class: "name" }, "covariate " + cut(c.name, 24) + " = " + num(c.value, 4)), "", c.adds));
  if (beside.length > 6) line(el("td", { class: "name" }, beside.length - 6 + " more covariates"), "", beside.slice(6).reduce((t, c) => t + c.adds, 0));
  rows.slice(0, 8).forEach((row) => {
    const name = el("td", { class: "name" });
    const link = el("a", { href: "#graphlet-" + row.h.rank }, "#" + (row.h.rank + 1) + " " + cut(row.h.name, 24));
    link.addEventListener("click", () => { signs.value = "all"; byId("graphlet-filter").value = ""; showGraphlets(); });
    name.append(link);
    const tr = line(name, num(row.psi), row.value);
    tr.addEventListener("mouseenter", () => paint(row)); tr.addEventListener("mouseleave", () => paint(null));
    link.addEventListener("focus", () => paint(row)); link.addEventListener("blur", () => paint(null));
  });
  if (rows.length > 8) line(el("td", { class: "name" }, rows.length - 8 + " more"), "", rows.slice(8).reduce((t, r) => t + r.value, 0));
  card.append(table);
  return card;
}
const kinds = byId("gallery-kind");
if (D.wrong.length) kinds.append(el("option", { value: "wrong" }, "only wrong ones"));
if (D.classes) for (const name of D.classes) kinds.append(el("option", { value: "is:" + name }, "predicted " + cut(name, 30)));
const PAGE = 12; let shownGraphs = PAGE, matching = [];
const cardOf = new Map();
function fillGallery() {
  byId("gallery-cards").replaceChildren(...matching.slice(0, shownGraphs).map((g) => { if (!cardOf.has(g.id)) cardOf.set(g.id, graphCard(g)); return cardOf.get(g.id); }));
  byId("gallery-more").hidden = matching.length <= shownGraphs;
  byId("gallery-count").textContent = matching.length + " of " + D.n_graphs + " graphs";
}
function showGallery() {
  const kind = kinds.value, text = byId("gallery-search").value.trim().toLowerCase();
  matching = D.gallery.filter((g) => {
    if (kind === "wrong" && !isWrong.has(g.id)) return false;
    if (kind.startsWith("is:") && D.predictions[g.id] !== kind.slice(3)) return false;
    if (!text) return true;
    if (text.startsWith("=")) return String(g.id) === text.slice(1).trim();
    return String(g.id) === text || D.predictions[g.id].toLowerCase().includes(text) || (D.y && D.y[g.id].toLowerCase().includes(text)) || g.labels.some((l) => l.toLowerCase() === text);
  });
  shownGraphs = PAGE; fillGallery();
}

// Search cost, rerun -----------------------------------------------------------------------------
function showCost() {
  const body = byId("cost-body"), c = D.path && D.path.cost;
  if (!c || !c.seconds) { body.append(el("p", {}, "The model holds no record of its search.")); return; }
  const total = c.seconds.reduce((a, b) => a + (b || 0), 0), search = c.seconds_search.reduce((a, b) => a + (b || 0), 0);
  body.append(el("p", {}, "The path of " + c.lam.length + " lambdas took " + num(total) + " s, of which " + num(search) + " s went into the search among all subgraphs; at most " + num(Math.max(...c.n_visited), 6) + " of them were looked at for one lambda."));
  const lams = extent(c.lam), log = lams[0] > 0 && lams[1] > lams[0], soFar = (v) => { let sum = 0; return v.map((u) => (sum += u || 0)); };
  const parts = [["seconds", "in all"], ["seconds_search", "search"], ["seconds_beta", "beta"], ["seconds_z", "z"]].filter(([k]) => c[k]);
  const colours = ["var(--accent)", "var(--warm)", "var(--cool)", "var(--faint)"], dashes = ["", "5 4", "2 3", "8 3 2 3"];
  const seconds = parts.map(([k]) => soFar(c[k])), counts = [c.n_visited, c.working_set_size].map((v) => v.map((u) => Math.max(u, 0.5)));
  for (const [name, sets, names] of [["seconds so far", seconds, parts.map((p) => p[1])], ["count", counts, ["subgraphs visited", "working set"]]]) {
    const a = axes({ x: lams, y: name === "count" ? extent(sets.flat()) : [0, Math.max(total, 1e-3)], logX: log, logY: name === "count", flipX: true, xName: "lambda", yName: name, name: name + " over lambda", width: 340, height: 220 });
    sets.forEach((v, i) => a.line(c.lam.map((l, k) => [l, v[k]]), colours[i], dashes[i]));
    body.append(figure(a.root, key(names, colours, dashes)));
  }
}
function showRerun() {
  const body = byId("rerun-body");
  body.append(el("p", {}, "Made with aglets " + D.version + " (rho " + D.rho + ", loss " + D.loss + "). To make this page again:"), el("pre", {}, "aglets report MODEL DATA -o report.html"), el("p", {}, "or in Python:"), el("pre", {}, "from aglets import report\nreport.write(clf, graphs, y, \"report.html\")"), el("p", {}, "The method is LAGRA, Learning Attributed Graphlets. When you use it, please cite the paper that introduces it, S. Tajima, R. Sugihara, R. Kitahara and M. Karasuyama, “Learning Attributed Graphlets: Predictive Graph Mining by Graphlets with Trainable Attribute”, and aglets with its version."));
}

showQuality(); showGraphlets(); showCovariates(); showPath(); showScatter(); showGallery(); showCost(); showRerun();
for (const id of ["graphlet-sort", "graphlet-sign"]) byId(id).addEventListener("change", showGraphlets);
byId("graphlet-filter").addEventListener("input", showGraphlets);
kinds.addEventListener("change", showGallery);
byId("gallery-search").addEventListener("input", showGallery);
byId("gallery-more").addEventListener("click", () => { shownGraphs += 2 * PAGE; fillGallery(); });
window.addEventListener("beforeprint", () => { shownGraphs = matching.length; fillGallery(); });
const theme = byId("theme"), root = document.documentElement;
let dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
const showTheme = () => { theme.textContent = dark ? "Light" : "Dark"; theme.setAttribute("aria-pressed", String(dark)); };
theme.addEventListener("click", () => { dark = !dark; root.dataset.theme = dark ? "dark" : "light"; showTheme(); });
showTheme();
