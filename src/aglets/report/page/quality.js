// Measures, simple answers to compare with, errors by class, and pictures of predictions.

function showQuality() {
  const body = byId("quality-body"),
    q = V.quality;
  body.replaceChildren();
  if (!q) {
    body.append(
      el("p", {}, "No classes or numbers were given, so there is nothing to compare with."),
    );
    return;
  }
  const show = (name, value) => (/accuracy/.test(name) ? percent(value) : num(value));
  body.append(
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Measures of quality" },
      table(
        "Compared with predictions that ignore the structure",
        ["metric", ...q.answers, "what it means"],
        q.metrics.map((m) => [
          el("th", { scope: "row" }, m.name),
          ...m.values.map((v, i) =>
            el("td", {}, i ? show(m.name, v) : el("strong", {}, show(m.name, v))),
          ),
          el("td", { class: "name small" }, m.meaning),
        ]),
        { id: "metrics", style: "--answers: " + q.answers.length },
      ),
    ),
  );
  const row = el("div", { class: "row" });
  body.append(row);
  if (q.confusion) row.append(confusionTable(q));
  if (q.roc) row.append(rocCurve(q), decisionPicture(q));
  if (q.calibration) row.append(calibrationPicture(q));
  if (q.fit) row.append(parityPicture(q), residualPicture(q));
}

// Rows are true classes, columns predicted ones; every number leads to its graphs.
function confusionTable(q) {
  const many = V.classes.length > 5;
  const heads = many ? ["recall", "precision"] : [];
  const head = el("tr", {}, el("td", {}, el("span", { class: "small" }, "true ↓ predicted →")));
  for (const name of V.classes) head.append(el("th", { scope: "col" }, cut(name, 20)));
  for (const name of q.per_class ? heads : []) head.append(el("th", { scope: "col" }, name));
  const body = el("tbody");
  q.confusion.forEach((row, i) => {
    const line = el("tr", {}, el("th", { scope: "row" }, cut(V.classes[i], 20)));
    row.forEach((n, j) => {
      const wanted = { truth: V.classes[i], predicted: V.classes[j] };
      const cell = el("td", {}, n ? countLink(String(n), wanted) : el("span", {}, many ? "" : "0"));
      const share = q.counts[i] ? n / q.counts[i] : 0;
      cell.style.background = `color-mix(in srgb, var(--faint) ${Math.round(35 * share)}%, transparent)`;
      line.append(cell);
    });
    if (q.per_class && heads.length)
      for (const name of heads)
        line.append(el("td", {}, el("span", {}, percent(q.per_class[name][i]))));
    body.append(line);
  });
  const sheet = el(
    "table",
    { class: "confusion" + (many ? " many" : ""), id: "confusion" },
    el("caption", {}, "Predictions by class, of " + plural(q.n)),
    el("thead", {}, head),
    body,
  );
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Confusion matrix" },
    sheet,
  );
}

function diagonal(a, [low, high]) {
  const ends = [
    [low, low],
    [high, high],
  ];
  a.line(ends, "var(--faint)", "4 4");
}

function zeroLine(a, { x = null, y = null, text = "" }) {
  const at = x !== null ? { x1: a.px(x), x2: a.px(x), y1: a.top, y2: a.bottomLine } : {};
  if (y !== null) Object.assign(at, { x1: a.left, x2: a.right, y1: a.py(y), y2: a.py(y) });
  a.root.append(svg("line", { ...at, class: "zero", "stroke-dasharray": "3 3" }));
  if (!text) return;
  const t = svg("text", { x: at.x1 + 4, y: a.top + 8, "font-size": 10, class: "faint" });
  t.textContent = text;
  a.root.append(t);
}

function rocCurve(q) {
  const auc = num(q.metrics.find((m) => m.name === "AUC").values[0]);
  const a = axes({
    xName: "false positives",
    yName: "true positives",
    name: "ROC curve, AUC " + auc,
    width: 270,
    height: 240,
  });
  diagonal(a, [0, 1]);
  a.line(
    q.roc.false.map((v, i) => [v, q.roc.true[i]]),
    "var(--ink)",
  );
  return figure(a.root, "ROC curve for class " + cut(V.classes[1], 20) + ", AUC " + auc);
}

function decisionPicture(q) {
  const h = q.histogram,
    top = Math.max(1, ...h.counts.flat());
  const a = axes({
    x: [h.edges[0], h.edges[h.edges.length - 1]],
    y: [0, top],
    xName: "decision",
    yName: D.noun + "s",
    name: "Decisions by true class; the prediction changes at 0",
    width: 330,
    height: 240,
  });
  a.root.setAttribute("id", "decisions");
  h.counts.forEach((counts, c) =>
    counts.forEach((n, i) => {
      if (!n) return;
      const bar = svg("rect", {
        x: a.px(h.edges[i]),
        y: a.py(n),
        width: Math.max(1, a.px(h.edges[i + 1]) - a.px(h.edges[i]) - 1),
        height: a.py(0) - a.py(n),
        fill: D.colours.two[c],
        "fill-opacity": 0.6,
      });
      a.root.append(bar);
    }),
  );
  zeroLine(a, { x: 0 });
  const names = V.classes.map((n) => cut(n, 20));
  return figure(
    a.root,
    el(
      "span",
      {},
      "Decisions by true class: left of 0 the prediction is " +
        names[0] +
        ", right of it " +
        names[1] +
        ".",
      key(names, D.colours.two),
    ),
  );
}

function calibrationPicture(q) {
  const c = q.calibration,
    a = axes({
      xName: "predicted probability",
      yName: "share of class " + cut(V.classes[1], 20),
      name: "Calibration",
      width: 270,
      height: 240,
    });
  diagonal(a, [0, 1]);
  a.line(
    c.predicted.map((v, i) => [v, c.true[i]]),
    "var(--ink)",
  );
  c.predicted.forEach((v, i) => {
    const r = Math.min(12, 3 + Math.sqrt(c.count[i]) / 3);
    a.root.append(svg("circle", { cx: a.px(v), cy: a.py(c.true[i]), r, class: "point" }));
  });
  return figure(
    a.root,
    "Calibration: of " +
      D.noun +
      "s with similar probability, the share that is truly " +
      cut(V.classes[1], 20) +
      "; on the dashed line the two agree; larger dots are more " +
      D.noun +
      "s",
  );
}

function numberDots(a, graphs, xs, ys) {
  a.root.setAttribute("role", "group");
  xs.forEach((v, i) => {
    const dot = svg("circle", { cx: a.px(v), cy: a.py(ys[i]), r: 3, class: "point" });
    const title = svg("title");
    title.textContent = graphName(graphs[i]);
    dot.append(title);
    a.root.append(dot);
  });
}

function parityPicture(q) {
  const range = padded(extent([...q.fit.true, ...q.fit.predicted]));
  const a = axes({
    ...{ x: range, y: range, xName: "true", yName: "predicted", width: 340, height: 300 },
    name: "Predictions against the truth",
  });
  diagonal(a, range);
  numberDots(a, q.fit.graphs, q.fit.true, q.fit.predicted);
  const some = q.fit.true.length < q.n ? ", of " + plural(q.fit.true.length) : "";
  return figure(a.root, "Predicted against true" + some + "; on the dashed line both are the same");
}

function residualPicture(q) {
  const rest = q.fit.predicted.map((v, i) => v - q.fit.true[i]),
    reach = Math.max(...rest.map(Math.abs)) || 1;
  const a = axes({
    ...{
      x: padded(extent(q.fit.predicted)),
      y: padded([-reach, reach]),
      xName: "predicted",
      width: 340,
    },
    ...{ yName: "predicted − true", height: 300, name: "Residuals" },
  });
  zeroLine(a, { y: 0 });
  numberDots(a, q.fit.graphs, q.fit.predicted, rest);
  return figure(a.root, "Residuals: a pattern around the line means that something is missing");
}
