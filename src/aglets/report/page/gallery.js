// The gallery of explanations: which graphs are in it, and the search.

let isWrong = new Set(),
  drawn = new Set(),
  cardOf = new Map(),
  matching = [],
  shownGraphs = 0;
const PAGE = 12,
  MOST_LISTED = 200;

function prepareGallery() {
  isWrong = new Set(V.wrong);
  drawn = new Set(V.shown);
  cardOf = new Map();
  chosen = {};
  byId("gallery-help").textContent =
    "Why each " +
    D.noun +
    " got its prediction: the drawing shows where, the table how much. Blue raises the " +
    (V.classes ? "decision" : "prediction") +
    ", orange lowers it; point at a row to see its part alone." +
    (V.y && V.classes
      ? " The most confident mistakes come first."
      : V.y
        ? " Largest errors come first."
        : "");
  byId("gallery-search").placeholder = D.groups.length
    ? "name, id, SMILES, functional group or SMARTS"
    : "name, id, number or label";
  const kinds = byId("gallery-kind");
  kinds.replaceChildren(el("option", { value: "all" }, "all " + D.noun + "s"));
  if (V.wrong.length) kinds.append(el("option", { value: "wrong" }, "only wrong predictions"));
  for (const name of V.classes || [])
    kinds.append(el("option", { value: "is:" + name }, "predicted " + cut(name, 30)));
  const output = byId("gallery-output");
  byId("gallery-output-label").hidden = V.outputs.length < 2;
  output.replaceChildren(el("option", { value: "predicted" }, "the predicted class"));
  if (V.y) output.append(el("option", { value: "true" }, "the true class"));
  V.outputs.forEach((name, k) => {
    if (name !== null) output.append(el("option", { value: String(k) }, "class " + cut(name, 30)));
  });
}

// Which decision of a graph is explained.
function outputOf(i) {
  if (V.outputs.length < 2) return 0;
  const value = byId("gallery-output").value;
  if (value === "predicted") return V.outputs.indexOf(V.predictions[i]);
  if (value === "true") return Math.max(0, V.outputs.indexOf(V.y[i]));
  return Number(value);
}

function fillGallery() {
  const list = matching.filter((i) => drawn.has(i)),
    rest = matching.filter((i) => !drawn.has(i));
  byId("gallery-cards").replaceChildren(
    ...list.slice(0, shownGraphs).map((i) => {
      const out = outputOf(i),
        id = i + "/" + out;
      if (!cardOf.has(id)) cardOf.set(id, graphCard(i, out));
      return cardOf.get(id);
    }),
  );
  byId("gallery-more").hidden = list.length <= shownGraphs;
  byId("gallery-count").textContent =
    matching.length +
    " of " +
    plural(D.listed.length) +
    (D.listed.length < D.n_graphs ? " that are listed here, of " + D.n_graphs : "") +
    (rest.length ? ", " + list.length + " of them drawn" : "");
  byId("gallery-rest").replaceChildren(...(rest.length ? [restList(rest)] : []));
  const text = chosenText(),
    note = byId("gallery-filter");
  note.hidden = !text;
  if (text) {
    const clear = el("button", { type: "button" }, "Show all again");
    clear.addEventListener("click", () => openGraphs({}));
    note.replaceChildren("Only " + cut(text, 120) + ". ", clear);
  }
}

// Graphs that are not drawn, so that the page stays small, are listed.
function restList(rest) {
  const list = el("ul", { class: "small" });
  for (const i of rest.slice(0, MOST_LISTED)) {
    const smiles = given("smiles", i) ? ", " + cut(given("smiles", i), 80) : "";
    const truth = V.y && V.y[i] !== null ? ", true " + cut(V.y[i], 30) : "";
    const answer = ": predicted " + cut(V.predictions[i], 30) + truth;
    list.append(el("li", {}, cut(graphName(i), 60) + answer + smiles));
  }
  if (rest.length > MOST_LISTED)
    list.append(el("li", {}, "and " + (rest.length - MOST_LISTED) + " more"));
  const name = plural(rest.length) + " that are not drawn on this page";
  return el("details", {}, el("summary", {}, name), list);
}

// Whether a text is in what is known of a graph by name: itself, its groups, its graphlets.
function isFound(i, text, raw) {
  const has = (value) => value !== null && value.toLowerCase().includes(text);
  if (String(i) === text || has(given("names", i)) || has(given("ids", i))) return true;
  if (has(given("smiles", i)) || has(V.predictions[i])) return true;
  if (V.y && V.y[i] !== null && has(V.y[i])) return true;
  if ((D.graph_groups[i] || []).some((k) => D.groups[k].includes(text))) return true;
  // In SMARTS, c and C are different atoms.
  const asked = (g) => has(g.name) || (g.smarts !== null && g.smarts.includes(raw));
  if (V.graphlets.some((g) => V.psi[i][g.rank] > 0 && asked(g))) return true;
  const g = D.graphs[i];
  return Boolean(g && g.labels && g.labels.some((l) => l.toLowerCase() === text));
}

function showGallery() {
  const kind = byId("gallery-kind").value,
    raw = byId("gallery-search").value.trim(),
    text = raw.toLowerCase();
  const order = [...V.shown];
  for (const i of D.listed) if (!drawn.has(i)) order.push(i);
  matching = order.filter((i) => {
    if (!isChosen(i)) return false;
    if (kind === "wrong" && !isWrong.has(i)) return false;
    if (kind.startsWith("is:") && V.predictions[i] !== kind.slice(3)) return false;
    return !text || isFound(i, text, raw);
  });
  shownGraphs = PAGE;
  fillGallery();
}
