// What the search cost, and how to make the page again.

function showCost() {
  const body = byId("cost-body"),
    c = V.path && V.path.cost;
  body.replaceChildren();
  if (D.fitted.search)
    body.append(el("p", { id: "search-record" }, "Searched " + D.fitted.search + "."));
  if (!c || !c.n_visited) {
    if (!D.fitted.search) body.append(el("p", {}, "The model holds no record of its search."));
    return;
  }
  const sum = (v) => v.reduce((a, b) => a + (b || 0), 0),
    timed = Boolean(c.seconds && c.seconds_search), // a model file keeps no times
    total = timed ? sum(c.seconds) : 0;
  body.append(
    el(
      "p",
      {},
      "The path of " +
        c.lam.length +
        " lambdas " +
        (timed
          ? "took " +
            num(total) +
            " s, of which " +
            num(sum(c.seconds_search)) +
            " s went into the search among all subgraphs; "
          : "was searched among all subgraphs: ") +
        "at most " +
        num(Math.max(...c.n_visited), 6) +
        " of them were looked at for one lambda.",
    ),
  );
  const lams = extent(c.lam),
    log = lams[0] > 0 && lams[1] > lams[0],
    soFar = (v) => {
      let sum = 0;
      return v.map((u) => (sum += u || 0));
    };
  const parts = [
    ["seconds", "in all"],
    ["seconds_search", "search"],
    ["seconds_beta", "beta"],
    ["seconds_z", "z"],
  ].filter(([k]) => c[k]);
  const colours = ["var(--ink)", "var(--ink)", "var(--faint)", "var(--faint)"],
    dashes = ["", "5 4", "2 3", "8 3 2 3"];
  const seconds = parts.map(([k]) => soFar(c[k])),
    counts = [c.n_visited, c.working_set_size].map((v) => v.map((u) => Math.max(u, 0.5)));
  const row = el("div", { class: "row" });
  body.append(row);
  for (const [name, sets, names] of [
    ...(timed ? [["seconds so far", seconds, parts.map((p) => p[1])]] : []),
    ["count", counts, ["subgraphs visited", "working set"]],
  ]) {
    const a = axes({
      x: lams,
      y: name === "count" ? extent(sets.flat()) : [0, Math.max(total, 1e-3)],
      logX: log,
      logY: name === "count",
      flipX: true,
      xName: V.path.lambda_name,
      yName: name,
      name: name + " over lambda",
      width: 340,
      height: 220,
    });
    sets.forEach((v, i) =>
      a.line(
        c.lam.map((l, k) => [l, v[k]]),
        colours[i],
        dashes[i],
      ),
    );
    row.append(figure(a.root, key(names, colours, dashes)));
  }
}

function showRerun() {
  const body = byId("rerun-body");
  body.replaceChildren(
    el(
      "p",
      {},
      "Made with aglets " +
        D.version +
        "; the model was fitted with aglets " +
        D.fitted.version +
        " (rho " +
        D.fitted.rho +
        ", loss " +
        V.loss +
        "). To make this page again:",
    ),
    code(D.command, "the command"),
    el(
      "p",
      {},
      "The method is LAGRA, Learning Attributed Graphlets. When you use it, please cite the paper that introduces it, T. Shinji, R. Sugihara, R. Kitahara and M. Karasuyama, “Learning Attributed Graphlets: Predictive Graph Mining by Graphlets with Trainable Attribute”, and aglets with its version.",
    ),
  );
}
