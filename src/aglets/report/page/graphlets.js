// A card per graphlet, sorted and filtered, in tabs by class where there are more than two.

function graphletDrawing(g) {
  if (g.example) {
    const { atoms, bonds } = marked(exampleGraph(g), g, g.example.nodes, g.coef);
    return drawSkeleton(exampleGraph(g), {
      ...{ atoms, bonds, width: 300, height: 190 },
      name: "Graphlet " + g.name + ", marked in a training molecule",
    });
  }
  const numbered = g.attributes.length > 0 && g.attributes[0].length > 0;
  return drawPlain(g, { name: "Graphlet " + g.name, numbered });
}

// The bonds of the example that are drawn as marked are those of the graphlet.
function exampleGraph(g) {
  const nodes = g.example.nodes;
  return { skeleton: g.example.skeleton, edges: g.edges.map(([u, v]) => [nodes[u], nodes[v]]) };
}

function graphletCard(g) {
  const card = el("article", { class: "card", id: "graphlet-" + g.rank, tabindex: "-1" });
  card.append(
    el("h3", {}, "#" + g.number + "  " + cut(g.name, 70)),
    el("p", { class: g.coef > 0 ? "pos" : "neg" }, cut(g.evidence, 60)),
    el("div", { class: "drawing" }, graphletDrawing(g)),
  );
  const where = el("p", {});
  for (const [text, wanted] of g.occurs) where.append(wanted ? countLink(text, wanted) : text);
  card.append(where, el("p", {}, g.effect));
  if (g.smarts !== null) card.append(code(g.smarts, "SMARTS"));
  if (g.example) {
    const named = g.example.name ? cut(g.example.name, 60) : cut(g.example.smiles, 60);
    const how =
      "drawn in a training molecule that it fits well (match " + num(g.example.psi) + "): ";
    card.append(el("p", { class: "small" }, how + named));
  }
  card.append(...attributeTexts(g), graphletNumbers(g));
  return card;
}

function graphletNumbers(g) {
  const list = el("dl", { class: "small explained" }),
    add = (name, value, meaning) =>
      list.append(
        el("dt", {}, name + " "),
        el("dd", {}, el("strong", {}, value), meaning ? " – " + meaning : ""),
      );
  add("weight", signed(g.coef), "what a full match adds to the decision");
  if (g.auc !== null)
    add("AUC", num(g.auc), "how well this graphlet alone ranks the classes; 0.5 is chance");
  if (g.correlation !== null)
    add("correlation", num(g.correlation), "of its match with the target, from −1 to 1");
  add("mean match", num(g.mean_psi), "over all " + D.noun + "s, 0 where it does not occur");
  if (g.stability !== null)
    add("found again", percent(g.stability), "in this share of models fitted on random halves");
  if (g.best.length) {
    const best = el("dd", {});
    g.best.forEach((i, k) => best.append(k ? ", " : "", graphLink(i)));
    best.append(" – where it fits best");
    list.append(el("dt", {}, "best matches"), best);
  }
  if (g.worst.length) {
    const worst = el("dd", {});
    g.worst.forEach((i, k) => worst.append(k ? ", " : "", graphLink(i)));
    worst.append(" – where it occurs with the smallest match");
    list.append(el("dt", {}, "worst matches"), worst);
  }
  return el("details", {}, el("summary", {}, "All numbers and best matches"), list);
}

let graphletCards = [],
  // The class whose decision is looked at; null for all.
  shownClass = null;

function openClass(k) {
  shownClass = k;
  const row = byId("class-tabs").firstChild;
  if (row)
    [...row.children].forEach((b, i) =>
      b.setAttribute("aria-pressed", String(i === (k ?? -1) + 1)),
    );
}

function prepareGraphlets() {
  V.graphlets.forEach((g, rank) => {
    g.rank = rank;
  });
  graphletCards = V.graphlets.map(() => null);
  shownClass = null;
  const what = D.noun === "molecule" ? "atoms and bonds" : "labels and edges";
  const two = V.classes && V.classes.length === 2,
    answer = V.classes ? "decision" : "prediction",
    counts = V.graphlets.some((g) => g.pooling !== "best");
  byId("graphlet-help").textContent =
    "A graphlet is a small piece of a " +
    D.noun +
    ". Its match is 0 where its " +
    what +
    " do not occur, and up to 1 where its attributes agree, too" +
    (counts ? "; graphlets that count add up all places, so that their match may be larger" : "") +
    ". The " +
    answer +
    " of the model is its intercept plus weight times match, summed over all graphlets. Blue raises the " +
    answer +
    (two ? " (class " + cut(V.classes[1], 20) + ")" : "") +
    ", orange lowers it" +
    (two ? " (class " + cut(V.classes[0], 20) + ")." : ".") +
    (V.n_graphlets > V.graphlets.length
      ? " " +
        V.graphlets.length +
        " of " +
        V.n_graphlets +
        " are shown: the strongest, and those that matter most for a " +
        D.noun +
        " below."
      : "");
  const sort = byId("graphlet-sort");
  sort.querySelector("[value=stability]")?.remove();
  if (V.graphlets.some((g) => g.stability !== null))
    sort.append(el("option", { value: "stability" }, "stability"));
  sort.querySelector("[value=auc]").textContent = V.classes ? "AUC" : "correlation";
  const signs = byId("graphlet-sign");
  signs.replaceChildren(el("option", { value: "all" }, "all"));
  if (V.classes && V.classes.length === 2)
    for (const name of V.classes)
      signs.append(el("option", { value: "for:" + name }, "for " + cut(name, 30)));
  else
    signs.append(
      el("option", { value: "up" }, V.classes ? "for a class" : "raising"),
      el("option", { value: "down" }, V.classes ? "against a class" : "lowering"),
    );
  const holder = byId("class-tabs");
  holder.replaceChildren();
  if (V.outputs.length > 1) {
    const names = [[null, "all classes"], ...V.outputs.map((name, k) => [k, name])];
    holder.append(
      tabs("Classes", names, null, (k) => {
        shownClass = k;
        showGraphlets();
      }),
    );
  }
}

function showGraphlets() {
  const by = byId("graphlet-sort").value,
    sign = byId("graphlet-sign").value,
    text = byId("graphlet-filter").value.trim().toLowerCase();
  const weight = (g) => (shownClass === null ? g.coef : g.coefs[shownClass]);
  const order = {
    weight: (g) => -Math.abs(weight(g)),
    auc: (g) => -(g.auc ?? Math.abs(g.correlation ?? 0)),
    support: (g) => -g.n_support,
    stability: (g) => -(g.stability ?? 0),
    size: (g) => g.labels.length,
  };
  const list = V.graphlets.filter(
    (g) =>
      weight(g) !== 0 &&
      (sign === "all" ||
        sign === "for:" + g.evidence_for ||
        (sign === "up" && weight(g) > 0) ||
        (sign === "down" && weight(g) < 0)) &&
      (!text ||
        g.name.toLowerCase().includes(text) ||
        (g.smarts !== null && g.smarts.toLowerCase().includes(text)) ||
        g.labels.some((l) => l.toLowerCase() === text)),
  );
  list.sort(
    (a, b) =>
      (by === "name" ? a.name.localeCompare(b.name) : order[by](a) - order[by](b)) ||
      a.rank - b.rank,
  );
  for (const g of list) graphletCards[g.rank] ||= graphletCard(g);
  byId("graphlet-cards").replaceChildren(...list.map((g) => graphletCards[g.rank]));
  byId("graphlet-count").textContent =
    list.length + " of " + plural(V.graphlets.length, "graphlet");
}
