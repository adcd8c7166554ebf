// The sentences on top, scores, baselines and errors by class.

for (const sentence of D.sentences) byId("summary").append(el("p", {}, sentence));
function showQuality() {
  const body = byId("quality-body"),
    q = D.quality;
  if (!q) {
    body.append(
      el("p", {}, "No classes or numbers were given, so there is nothing to compare with."),
    );
    return;
  }
  const rows = [["this model", q.score], ...q.baselines.map((b) => [b.name, b.score])];
  const show = q.score_name === "accuracy" ? percent : num;
  const table = el(
    "table",
    {},
    el("caption", {}, "Compared with baselines that ignore the structure"),
    el(
      "thead",
      {},
      el("tr", {}, el("th", { scope: "col" }, "answer"), el("th", { scope: "col" }, q.score_name)),
    ),
  );
  const inner = el("tbody");
  table.append(inner);
  for (const [name, score] of rows)
    inner.append(el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, show(score))));
  body.append(
    el(
      "div",
      {},
      table,
      el(
        "p",
        { class: "small" },
        "If the model was fitted on these graphs, its own score is too good to expect on others.",
      ),
    ),
  );
  if (q.confusion) {
    const c = el(
      "table",
      {},
      el("caption", {}, "Rows: true class. Columns: predicted."),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("td"),
          ...D.classes.map((name) => el("th", { scope: "col" }, cut(name, 20))),
        ),
      ),
    );
    const b = el("tbody");
    c.append(b);
    q.confusion.forEach((row, i) =>
      b.append(
        el(
          "tr",
          {},
          el("th", { scope: "row" }, cut(D.classes[i], 20)),
          ...row.map((n) => el("td", {}, String(n))),
        ),
      ),
    );
    body.append(
      el(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": "Confusion matrix" },
        c,
      ),
    );
  }
  if (q.roc) {
    const a = axes({
      xName: "false positives",
      yName: "true positives",
      name: "ROC curve, AUC " + num(q.auc),
      width: 260,
      height: 230,
    });
    a.line(
      [
        [0, 0],
        [1, 1],
      ],
      "var(--line)",
      "4 4",
    );
    a.line(
      q.roc.false.map((v, i) => [v, q.roc.true[i]]),
      "var(--accent)",
    );
    body.append(figure(a.root, "ROC curve for " + cut(D.classes[1], 20) + ", AUC " + num(q.auc)));
  }
  if (q.calibration) {
    const a = axes({
      xName: "predicted probability",
      yName: "part that is true",
      name: "Calibration",
      width: 260,
      height: 230,
    });
    a.line(
      [
        [0, 0],
        [1, 1],
      ],
      "var(--line)",
      "4 4",
    );
    a.line(
      q.calibration.predicted.map((v, i) => [v, q.calibration.true[i]]),
      "var(--accent)",
    );
    q.calibration.predicted.forEach((v, i) =>
      a.root.append(
        svg("circle", {
          cx: a.px(v),
          cy: a.py(q.calibration.true[i]),
          r: 3 + Math.sqrt(q.calibration.count[i]) / 3,
          fill: "var(--accent)",
          "fill-opacity": 0.6,
        }),
      ),
    );
    body.append(figure(a.root, "Calibration; larger dots are more graphs"));
  } else if (q.histogram) {
    const h = q.histogram,
      top = Math.max(1, ...h.counts.flat());
    const a = axes({
      x: [h.edges[0], h.edges[h.edges.length - 1]],
      y: [0, top],
      xName: "decision",
      yName: "graphs",
      name: "Decisions by class",
      width: 260,
      height: 230,
    });
    h.counts.forEach((counts, c) =>
      counts.forEach((n, i) => {
        if (n)
          a.root.append(
            svg("rect", {
              x: a.px(h.edges[i]),
              y: a.py(n),
              width: Math.max(1, a.px(h.edges[i + 1]) - a.px(h.edges[i]) - 1),
              height: a.py(0) - a.py(n),
              fill: D.colours.classes[c],
              "fill-opacity": 0.6,
            }),
          );
      }),
    );
    body.append(
      figure(
        a.root,
        el(
          "span",
          {},
          "Decisions by true class; above 0 the answer is " + cut(D.classes[1], 20) + ".",
          key(
            D.classes.map((n) => cut(n, 20)),
            D.colours.classes,
          ),
        ),
      ),
    );
  }
  if (q.fit) {
    const range = extent([...q.fit.true, ...q.fit.predicted]);
    const a = axes({
      x: range,
      y: range,
      xName: "true",
      yName: "predicted",
      name: "Predictions against the truth",
      width: 260,
      height: 230,
    });
    a.line(
      [
        [range[0], range[0]],
        [range[1], range[1]],
      ],
      "var(--line)",
      "4 4",
    );
    q.fit.true.forEach((v, i) =>
      a.root.append(
        svg("circle", {
          cx: a.px(v),
          cy: a.py(q.fit.predicted[i]),
          r: 3,
          fill: "var(--accent)",
          "fill-opacity": 0.6,
        }),
      ),
    );
    body.append(figure(a.root, "Predictions; typical error " + num(q.error)));
  }
}
