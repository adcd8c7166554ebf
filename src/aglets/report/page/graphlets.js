// A card per graphlet, sorted and filtered.

function attributeBars(g) {
  const k = g.attributes.length,
    d = k ? g.attributes[0].length : 0;
  if (!d) return null;
  const cell = d <= 4 ? 56 : d <= 6 ? 44 : Math.max(8, 250 / d),
    high = 44,
    left = 50,
    base = d <= 6 ? 30 : 16;
  const width = left + d * cell,
    height = k * high + base;
  const root = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": "Attributes of every node",
    style: "max-width:100%;height:auto",
  });
  const write = (x, y, text, size, anchor = "middle", full = text) => {
    const t = svg("text", { x, y, "font-size": size, "text-anchor": anchor });
    t.textContent = text;
    if (full !== text) {
      const title = svg("title");
      title.textContent = full;
      t.append(title);
    }
    root.append(t);
  };
  for (let j = 0; j < d; j++) {
    let reach = 0,
      below = false;
    for (let i = 0; i < k; i++) {
      const m = g.mean[i][j] ?? 0,
        s = g.spread[i][j] ?? 0;
      reach = Math.max(reach, Math.abs(g.attributes[i][j]), Math.abs(m) + s);
    }
    reach = reach || 1;
    for (let i = 0; i < k; i++)
      below = below || g.attributes[i][j] < -1e-9 * reach || (g.mean[i][j] ?? 0) < -1e-9 * reach;
    const room = below ? 14 : 28,
      unit = room / reach,
      x = left + (j + 0.5) * cell;
    for (let i = 0; i < k; i++) {
      const zero = i * high + (below ? 17 : 31),
        v = g.attributes[i][j],
        m = g.mean[i][j],
        s = g.spread[i][j];
      root.append(
        svg("line", { x1: x - cell * 0.4, x2: x + cell * 0.4, y1: zero, y2: zero, class: "axis" }),
      );
      root.append(
        svg("rect", {
          x: x - cell * 0.26,
          width: cell * 0.52,
          y: v > 0 ? zero - v * unit : zero,
          height: Math.abs(v) * unit,
          fill: g.coef > 0 ? "var(--accent)" : "var(--warm)",
          "fill-opacity": 0.85,
        }),
      );
      if (m !== null && m !== undefined) {
        const low = Math.max(below ? -reach : 0, m - s),
          up = Math.min(reach, m + s);
        root.append(
          svg("line", {
            x1: x,
            x2: x,
            y1: zero - low * unit,
            y2: zero - up * unit,
            class: "markline",
          }),
          svg("line", {
            x1: x - cell * 0.17,
            x2: x + cell * 0.17,
            y1: zero - m * unit,
            y2: zero - m * unit,
            class: "markline",
            "stroke-width": 2.5,
          }),
        );
      }
      if (d <= 6) write(x, i * high + 42, num(v, 2), 9);
    }
    const given = D.attribute_names[j] || String(j),
      name = /^attribute \d+$/.test(given) ? given.slice(10) : given;
    if (d <= 6) {
      const bits = name.split(/[ _]/);
      const first = bits.length > 1 ? bits.slice(0, Math.ceil(bits.length / 2)).join(" ") : name;
      const second = bits.length > 1 ? bits.slice(Math.ceil(bits.length / 2)).join(" ") : "";
      write(x, k * high + 12, cut(first, d <= 4 ? 11 : 8), 9, "middle", name);
      write(x, k * high + 23, cut(second, d <= 4 ? 11 : 8), 9, "middle", name);
    } else if (j % Math.ceil(d / 10) === 0) write(x, k * high + 11, String(j), 9, "middle", name);
  }
  for (let i = 0; i < k; i++)
    write(2, i * high + 24, i + ": " + cut(g.labels[i], 6), 10, "start", g.labels[i]);
  return root;
}

// Atoms in words, with their numbers behind a click; of other graphs the numbers alone.
function attributeTexts(g) {
  const bars = attributeBars(g);
  if (!g.words) return bars ? [bars] : [];
  const list = el("ol", { class: "small", start: "0" }, ...g.words.map((w) => el("li", {}, w)));
  return bars ? [list, el("details", {}, el("summary", {}, "numbers"), bars)] : [list];
}

function graphletCard(g) {
  const card = el("article", { class: "card", id: "graphlet-" + g.rank, tabindex: "-1" });
  card.append(el("h3", {}, "#" + (g.rank + 1) + "  " + cut(g.name, 60)));
  if (g.smarts !== null && g.smarts !== g.name)
    card.append(el("p", { class: "small" }, "SMARTS " + g.smarts));
  const weight = el("p", {}, "weight ");
  weight.append(el("strong", { class: g.coef > 0 ? "pos" : "neg" }, signed(g.coef)));
  if (g.evidence_for !== null) weight.append(" for " + cut(g.evidence_for, 30));
  if (g.auc !== null) weight.append(", AUC " + num(g.auc));
  if (g.stability !== null)
    weight.append(", found again in " + percent(g.stability) + " of subsamples");
  if (g.correlation !== null) weight.append(", correlation " + num(g.correlation));
  card.append(
    weight,
    drawGraph(g, {
      name: "Graphlet " + g.name,
      numbered: g.words !== null || (g.attributes.length > 0 && g.attributes[0].length > 0),
    }),
  );
  card.append(...attributeTexts(g));
  const classes = Object.keys(g.support);
  const where = classes.length
    ? classes
        .map(
          (c) => g.support[c] + " of " + cut(c, 20) + " (mean psi " + num(g.mean_psi[c], 2) + ")",
        )
        .join(", ")
    : g.n_support + " graphs";
  card.append(el("p", { class: "small" }, "occurs in " + where));
  if (g.best.length) {
    const p = el("p", {}, "best match in ");
    p.append(graphLinks(g.best));
    if (g.worst.length) p.append("; worst in ", graphLinks(g.worst));
    card.append(p);
  }
  return card;
}

D.graphlets.forEach((g, rank) => {
  g.rank = rank;
});

if (D.graphlets.some((g) => g.stability !== null))
  byId("graphlet-sort").append(el("option", { value: "stability" }, "stability"));
const signs = byId("graphlet-sign");
for (const name of [...new Set(D.graphlets.map((g) => g.evidence_for))].filter((v) => v !== null))
  signs.append(el("option", { value: "for:" + name }, "for " + cut(name, 30)));
if (!D.classes)
  signs.append(
    el("option", { value: "up" }, "raising"),
    el("option", { value: "down" }, "lowering"),
  );
const graphletCards = D.graphlets.map(graphletCard);
function showGraphlets() {
  const by = byId("graphlet-sort").value,
    sign = signs.value,
    text = byId("graphlet-filter").value.trim().toLowerCase();
  const order = {
    weight: (g) => -Math.abs(g.coef),
    auc: (g) => -(g.auc ?? Math.abs(g.correlation ?? 0)),
    support: (g) => -g.n_support,
    stability: (g) => -(g.stability ?? 0),
    size: (g) => g.labels.length,
  };
  let list = D.graphlets.filter(
    (g) =>
      (sign === "all" ||
        sign === "for:" + g.evidence_for ||
        (sign === "up" && g.coef > 0) ||
        (sign === "down" && g.coef < 0)) &&
      (!text ||
        g.name.toLowerCase().includes(text) ||
        g.labels.some((l) => l.toLowerCase() === text)),
  );
  list.sort(
    (a, b) =>
      (by === "name" ? a.name.localeCompare(b.name) : order[by](a) - order[by](b)) ||
      a.rank - b.rank,
  );
  byId("graphlet-cards").replaceChildren(...list.map((g) => graphletCards[g.rank]));
  byId("graphlet-count").textContent = list.length + " of " + D.graphlets.length;
}
