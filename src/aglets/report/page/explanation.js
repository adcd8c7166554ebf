// One graph explained: its drawing with marks, and a table of what adds up to the decision.

// The rows of the table for one output: what each graphlet adds, the greatest first.
function contributions(i, out) {
  const places = V.places[i],
    rows = [];
  V.graphlets.forEach((h) => {
    const psi = V.psi[i][h.rank],
      coef = h.coefs[out];
    if (coef && psi > 0 && places[h.rank])
      rows.push({
        h,
        psi,
        value: coef * psi,
        n: places[h.rank][0],
        places: places[h.rank].slice(1),
      });
  });
  rows.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  return rows;
}

// What nodes and edges add: each contribution is shared among all places of its graphlet.
function importance(g, rows) {
  const n = g.skeleton ? g.skeleton.atoms.length : g.labels.length;
  const atoms = Array(n).fill(0),
    bonds = g.edges.map(() => 0),
    at = new Map(g.edges.map(([u, v], i) => [u + "/" + v, i]));
  for (const row of rows)
    for (const [share, ...nodes] of row.places) {
      for (const v of nodes) atoms[v] += (row.value * share) / nodes.length;
      for (const [u, v] of row.h.edges) {
        const p = nodes[u],
          q = nodes[v],
          i = at.get(Math.min(p, q) + "/" + Math.max(p, q));
        if (i !== undefined) bonds[i] += (row.value * share) / row.h.edges.length;
      }
    }
  return { atoms, bonds };
}

// A bar from 0: to the right if it raises the decision, else to the left.
function bar(value, largest) {
  const w = largest > 0 ? (48 * Math.abs(value)) / largest : 0;
  return svg(
    "svg",
    { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("line", { x1: 50, x2: 50, y1: 0, y2: 10, class: "axis" }),
    svg("rect", {
      ...{ x: value > 0 ? 50 : 50 - w, y: 1.5, width: w, height: 7 },
      fill: value > 0 ? "var(--up)" : "var(--down)",
    }),
  );
}

function says(i) {
  const line = el("p", {}, "Predicted ", el("strong", {}, cut(V.predictions[i], 30)));
  if (V.probabilities) {
    const k = V.classes.indexOf(V.predictions[i]);
    line.append(", probability ", el("strong", {}, percent(V.probabilities[i][k])));
    if (V.base_rates) line.append(" (base rate in training " + percent(V.base_rates[k]) + ")");
  }
  if (!V.y || V.y[i] === null) return line;
  if (!V.classes) line.append("; true value ", el("strong", {}, cut(V.y[i], 30)));
  else if (isWrong.has(i)) line.append(". Wrong: it is ", el("strong", {}, cut(V.y[i], 30)), ".");
  else line.append(", which is right.");
  return line;
}

function decisionText(out) {
  if (!V.classes) return "prediction";
  if (V.classes.length === 2)
    return (
      "decision (above 0: class " +
      cut(V.classes[1], 20) +
      ", below 0: class " +
      cut(V.classes[0], 20) +
      ")"
    );
  return "decision for class " + cut(V.outputs[out], 24) + "; the class with the largest one wins";
}

function graphCard(i, out) {
  const g = D.graphs[i],
    rows = contributions(i, out),
    decision = V.decisions[i][out],
    whole = importance(g, rows);
  const card = el("article", {
    class: "card" + (isWrong.has(i) ? " wrong" : ""),
    id: "graph-" + i,
    tabindex: "-1",
  });
  card.append(el("h3", {}, cut(capital(graphName(i)), 80)));
  const facts = [];
  if (given("names", i) && given("ids", i)) facts.push("id " + cut(given("ids", i), 40));
  if (given("names", i) || given("ids", i)) facts.push("row " + i);
  if (facts.length) card.append(el("p", { class: "small" }, facts.join(", ")));
  card.append(says(i));
  const holder = el("div", { class: "drawing" });
  const paint = (only) => {
    const { atoms, bonds } = only ? importance(g, [only]) : whole;
    const name = capital(graphName(i)) + ", marked by what each part adds";
    holder.replaceChildren(drawMarked(g, atoms, bonds, { width: 360, height: 240, name }));
  };
  paint(null);
  card.append(holder);
  if (given("smiles", i)) card.append(code(given("smiles", i), "SMILES"));
  card.append(contributionTable(i, out, rows, decision, paint));
  if ((V.trust[i] || []).length) card.append(trustList(i));
  return card;
}

const answerName = () => (V.classes ? "decision" : "prediction");

// What held-out and training graphs say of the prediction.
function trustList(i) {
  const lines = V.trust[i].map((line) => el("li", {}, capital(line)));
  const list = el("ul", { class: "small" }, ...lines),
    has = (text) => V.trust[i].some((line) => line.includes(text)),
    notes = [];
  if (has("% prediction"))
    notes.push(
      "A " +
        (V.classes ? "set holds the true class" : "interval holds the true value") +
        " of so many " +
        D.noun +
        "s that are like the training ones.",
    );
  if (has("distance"))
    notes.push(
      "Distance is 0 where all graphlets match alike, and in units of the " + answerName() + ".",
    );
  const note = el("p", { class: "small" }, notes.join(" "));
  return el("details", {}, el("summary", {}, "How far to trust it"), list, note);
}

const SHOWN_ROWS = 8;
function contributionTable(i, out, rows, decision, paint) {
  const covariates = ((V.graph_covariates[i] || [])[out] || []).filter((c) => c.adds !== 0),
    intercept = V.intercepts[out];
  const largest = Math.max(
    Math.abs(intercept),
    ...rows.map((r) => Math.abs(r.value)),
    ...covariates.map((c) => Math.abs(c.adds)),
  );
  const lines = [];
  const line = (name, match, value) => {
    const cells = [
      el("td", { class: "name" }, name),
      el("td", {}, match),
      el("td", { class: value > 0 ? "pos" : "neg" }, signed(value)),
      el("td", { class: "bar" }, bar(value, largest)),
    ];
    lines.push(cells);
    return cells;
  };
  line("start (intercept)", "", intercept);
  rows.slice(0, SHOWN_ROWS).forEach((row) => {
    const link = graphletLink(row.h, "#" + row.h.number + " " + cut(row.h.name, 32));
    const name = el("span", {}, link);
    if (row.n > 1) name.append(" (" + row.n + " places)");
    const cells = line(name, num(row.psi), row.value);
    for (const cell of cells) {
      cell.addEventListener("mouseenter", () => paint(row));
      cell.addEventListener("mouseleave", () => paint(null));
    }
    link.addEventListener("focus", () => paint(row));
    link.addEventListener("blur", () => paint(null));
  });
  const sum = (list) => list.reduce((a, b) => a + b, 0);
  if (V.n_graphlets > V.graphlets.length)
    // Graphlets without a card are in the sum, too.
    line(
      "all other graphlets",
      "",
      decision -
        intercept -
        sum(rows.slice(0, SHOWN_ROWS).map((r) => r.value)) -
        sum(covariates.map((c) => c.adds)),
    );
  else if (rows.length > SHOWN_ROWS)
    line(
      rows.length - SHOWN_ROWS + " more graphlets",
      "",
      sum(rows.slice(SHOWN_ROWS).map((r) => r.value)),
    );
  covariates
    .slice(0, 6)
    .forEach((c) => line("covariate " + cut(c.name, 24) + " = " + num(c.value, 4), "", c.adds));
  if (covariates.length > 6)
    line(
      covariates.length - 6 + " more covariates",
      "",
      sum(covariates.slice(6).map((c) => c.adds)),
    );
  const heads = ["what", "match", "adds", ""];
  const sheet = table(null, heads, lines);
  sheet.querySelector("thead th:last-child").append(el("span", { class: "skip" }, "bar"));
  sheet.append(
    el(
      "tfoot",
      {},
      el(
        "tr",
        { class: "total" },
        el("td", { class: "name", colspan: "2" }, "sum = " + decisionText(out)),
        el("td", { class: decision > 0 ? "pos" : "neg" }, signed(decision)),
        el("td", {}),
      ),
    ),
  );
  return sheet;
}
