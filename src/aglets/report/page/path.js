// The slider along the regularisation path.

function showPath() {
  const body = byId("path-body"),
    p = V.path;
  body.replaceChildren();
  if (!p) {
    body.append(el("p", {}, "The model holds no record of its path."));
    return;
  }
  const s = p.stops,
    n = s.lam.length;
  body.append(
    el(
      "p",
      {},
      "A larger penalty lambda leaves fewer graphlets. Move the slider to see how good simpler models are." +
        (p.refitted
          ? " This model came without its path: here the weights of its graphlets are fitted again to the graphs of this page, and scores are those of 5-fold validation."
          : p.models.length
            ? ""
            : " The graphlets of each stop are not known."),
    ),
  );
  const slider = el("input", {
    type: "range",
    id: "lambda",
    min: "0",
    max: String(n - 1),
    value: String(n - 1),
    step: "1",
  });
  const says = el("output", { id: "lambda-says", for: "lambda" });
  body.append(
    el("p", {}, el("label", { for: "lambda" }, p.lambda_name + ", from large to small "), slider),
    el("p", {}, says),
  );
  const curves = [
    ["here", p.refitted ? "5-fold validation" : "these " + D.noun + "s", "var(--ink)"],
    ["train", "training " + D.noun + "s", "var(--faint)"],
    ["validation", "validation " + D.noun + "s", "var(--faint)"],
  ].filter(([k]) => s[k] && s[k].some((v) => v !== null));
  const lams = extent(s.lam),
    marks = [];
  const picture = (name, lines, range) => {
    const a = axes({
      x: lams,
      y: range,
      xName: p.lambda_name,
      yName: name,
      logX: lams[0] > 0 && lams[1] > lams[0],
      flipX: true,
      name: name + " over lambda",
      width: 340,
      height: 210,
    });
    for (const [values, colour, dash] of lines)
      a.line(
        s.lam.map((v, i) => [v, values[i]]),
        colour,
        dash,
      );
    const mark = svg("line", { y1: 12, y2: 170, class: "markline", "stroke-dasharray": "3 3" });
    a.root.append(mark);
    marks.push([mark, a]);
    return a.root;
  };
  const row = el("div", { class: "row" });
  if (curves.length)
    row.append(
      figure(
        picture(
          p.score_name,
          curves.map(([k, , c], i) => [s[k], c, i === 2 ? "5 4" : ""]),
          extent(curves.flatMap(([k]) => s[k])),
        ),
        key(
          curves.map((c) => c[1]),
          curves.map((c) => c[2]),
          curves.map((_, i) => (i === 2 ? "5 4" : "")),
        ),
      ),
    );
  row.append(
    figure(
      picture("graphlets", [[s.n, "var(--ink)"]], [0, Math.max(1, ...s.n)]),
      "number of graphlets",
    ),
  );
  const thumbs = el("div", { class: "thumbs", id: "lambda-thumbs" });
  body.append(row, thumbs);
  function move() {
    const i = Number(slider.value);
    const text =
      p.lambda_name +
      " " +
      num(s.lam[i]) +
      ": " +
      s.n[i] +
      " graphlet" +
      (s.n[i] === 1 ? "" : "s") +
      curves
        .map(([k, name]) =>
          s[k][i] === null ? "" : ", " + p.score_name + " (" + name + ") " + num(s[k][i]),
        )
        .join("");
    says.textContent = text;
    slider.setAttribute("aria-valuetext", text);
    for (const [mark, a] of marks) {
      mark.setAttribute("x1", a.px(s.lam[i]));
      mark.setAttribute("x2", a.px(s.lam[i]));
    }
    if (!p.models.length) return;
    thumbs.replaceChildren(
      ...p.models[i].map(([at, coef]) => {
        const g = p.pictures[at];
        return el(
          "figure",
          {},
          drawPlain(g, { width: 140, height: 90, name: "Graphlet " + g.name }),
          el(
            "figcaption",
            {},
            el("strong", { class: coef > 0 ? "pos" : "neg" }, signed(coef)),
            " " + cut(g.name, 24),
          ),
        );
      }),
    );
    if (s.n[i] > p.models[i].length)
      thumbs.append(
        el("p", { class: "small" }, "and " + (s.n[i] - p.models[i].length) + " weaker ones"),
      );
  }
  slider.addEventListener("input", move);
  move();
}
