// The page of one model. Whatever comes from a user or a file is set as text, never as markup.

const $ = (id) => document.getElementById(id);

function element(tag, options = {}, ...children) {
  const made = Object.assign(document.createElement(tag), options);
  made.append(...children);
  return made;
}

// Pictures are drawn by the server, which escapes all names in them.
function picture(text) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
  const svg = parsed.documentElement;
  return svg.nodeName === "svg" ? document.importNode(svg, true) : element("span");
}

const signed = (x) => (x < 0 ? "−" : "+") + Math.abs(x).toFixed(3);
const side = (x) => (x < 0 ? "down" : "up");

let model = { molecules: true };
let latest = 0;

async function answerOf(response) {
  const found = await response.json().catch(() => ({}));
  if (!response.ok)
    throw new Error(found.error || found.detail || `The server said ${response.status}.`);
  return found;
}

function problem(place, error) {
  place.replaceChildren(element("p", { className: "error", textContent: error.message }));
}

function question() {
  const text = $("question").value.trim();
  if (model.molecules) return { smiles: text };
  try {
    return { graph: JSON.parse(text) };
  } catch {
    throw new Error("Expected a graph as node-link JSON. This text is not JSON.");
  }
}

async function ask() {
  if (!$("question").value.trim()) return;
  const number = ++latest;
  try {
    const body = JSON.stringify(question());
    const headers = { "Content-Type": "application/json" };
    const found = await answerOf(await fetch("/api/explain", { method: "POST", headers, body }));
    // Answers to older questions come too late.
    if (number === latest) $("answer").replaceChildren(...found.explanations.map(shown));
  } catch (error) {
    if (number === latest) problem($("answer"), error);
  }
}

function headline(why) {
  const what = why.target ? `${why.target}: predicted ` : "Predicted ";
  if (why.output === null) return `${what}${why.decision.toPrecision(4)}`;
  const p = why.trust && why.trust.probability;
  const sure = typeof p === "number" ? `, probability ${(100 * p).toFixed(0)} %` : "";
  return `${what}${why.prediction}${sure}`;
}

function shown(why) {
  const present = why.contributions.filter((one) => one.embedding !== null);
  const rows = present.map((one) =>
    element(
      "tr",
      {},
      element("td", {
        className: `number ${side(one.contribution)}`,
        textContent: signed(one.contribution),
      }),
      element("td", { textContent: one.name }),
      element("td", { className: "number", textContent: one.psi.toFixed(2) }),
      element("td", { textContent: one.embedding.join(", ") }),
    ),
  );
  const covariates = why.covariates.map((one) =>
    element(
      "tr",
      {},
      element("td", {
        className: `number ${side(one.contribution)}`,
        textContent: signed(one.contribution),
      }),
      element("td", { textContent: one.name }),
      element("td"),
      element("td", { textContent: String(one.value) }),
    ),
  );
  const intercept = element(
    "tr",
    {},
    element("td", { className: "number", textContent: signed(why.intercept) }),
    element("td", { textContent: "intercept" }),
    element("td"),
    element("td"),
  );
  const total = element(
    "tr",
    {},
    element("th", { className: "number", textContent: signed(why.decision), scope: "row" }),
    element("th", {
      textContent: why.output === null ? "sum" : `sum: positive is evidence for ${why.output}`,
    }),
    element("td"),
    element("td"),
  );
  const head = ["adds", "graphlet", "psi", model.molecules ? "atoms" : "nodes"].map((textContent) =>
    element("th", { textContent, scope: "col" }),
  );
  const table = element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, intercept, ...rows, ...covariates, total),
  );
  const notes = [...why.notes];
  if (!present.length)
    notes.push("No graphlet occurs here: the prediction is the intercept alone.");
  return element(
    "div",
    { className: "explanation" },
    element("p", { className: "headline", textContent: headline(why) }),
    element("div", { className: "pictures" }, picture(why.picture)),
    table,
    element(
      "ul",
      { className: "trust" },
      ...(why.trust ? why.trust.lines : []).map((textContent) => element("li", { textContent })),
    ),
    ...notes.map((textContent) => element("p", { className: "error", textContent })),
  );
}

async function predictTable(event) {
  event.preventDefault();
  const [file] = $("file").files;
  const place = $("many-answer");
  if (!file) return problem(place, new Error("Choose a file first."));
  place.textContent = "Working …";
  try {
    const address = `/api/predict?smiles=${encodeURIComponent($("column").value)}`;
    const headers = { "Content-Type": "text/csv" };
    const response = await fetch(address, { method: "POST", headers, body: file });
    if (!response.ok) await answerOf(response);
    const link = element("a", {
      href: URL.createObjectURL(await response.blob()),
      download: "predictions.csv",
      textContent: "predictions.csv",
    });
    place.replaceChildren("Done: ", link);
    link.click();
  } catch (error) {
    problem(place, error);
  }
}

let editor = null;

async function toggleEditor() {
  const place = $("editor");
  place.hidden = !place.hidden;
  $("draw").setAttribute("aria-expanded", String(!place.hidden));
  if (place.hidden || editor) return;
  const { CanvasEditor, Molecule } = await import("/files/openchemlib.js");
  editor = new CanvasEditor(place);
  try {
    editor.setMolecule(Molecule.fromSmiles($("question").value.trim()));
  } catch {
    // What is typed is not a molecule yet: begin with an empty sheet.
  }
  editor.setOnChangeListener((change) => {
    if (change.type !== "molecule") return;
    $("question").value = editor.getMolecule().toSmiles();
    ask();
  });
}

function card(graphlet) {
  const weights = graphlet.weights.map((weight, k) => {
    const name =
      model.outputs[k] === null || model.outputs.length === 1 ? "weight" : model.outputs[k];
    return element("p", { className: side(weight), textContent: `${name} ${signed(weight)}` });
  });
  return element(
    "div",
    { className: "card" },
    picture(graphlet.picture),
    element("p", { textContent: graphlet.name }),
    ...weights.slice(0, 12),
  );
}

async function start() {
  try {
    model = await answerOf(await fetch("/api/model"));
  } catch (error) {
    return problem($("answer"), error);
  }
  document.title = `aglets: ${model.name}`;
  $("title").textContent = model.name;
  const count = model.graphlets.length;
  $("about").textContent =
    `A model of ${count} graphlet${count === 1 ? "" : "s"}. Each adds its weight times how well the ` +
    `${model.molecules ? "molecule" : "graph"} contains it.`;
  if (!model.molecules) {
    $("question-label").textContent = "A graph as node-link JSON";
    $("draw").hidden = true;
    $("tables").hidden = true;
  }
  $("model").replaceChildren(element("div", { className: "cards" }, ...model.graphlets.map(card)));
}

let pause = 0;
$("question").addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(ask, 300);
});
$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  ask();
});
$("draw").addEventListener("click", toggleEditor);
$("many").addEventListener("submit", predictTable);
start();
