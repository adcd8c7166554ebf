// What each graphlet weighs for each class or target, as a table in colours.

function showWeights() {
  const w = D.weights;
  if (!w) return;
  const big = Math.max(...w.values.flat().map(Math.abs)) || 1;
  const head = el(
    "tr",
    {},
    el("td"),
    ...w.outputs.map((n) => el("th", { scope: "col" }, cut(n, 20))),
  );
  const body = el("tbody");
  w.values.forEach((row, j) => {
    const line = el(
      "tr",
      {},
      // Of several targets, each numbers its own graphlets.
      el(
        "th",
        { scope: "row" },
        (D.views.length < 2 ? "#" + (j + 1) + " " : "") + cut(w.names[j], 32),
      ),
    );
    for (const v of row) {
      const cell = el("td", {}, el("span", {}, v ? signed(v) : ""));
      const colour = v > 0 ? "var(--up)" : "var(--down)",
        share = Math.round((45 * Math.abs(v)) / big);
      if (v) cell.style.background = `color-mix(in srgb, ${colour} ${share}%, transparent)`;
      line.append(cell);
    }
    body.append(line);
  });
  const many = w.outputs.length > 5 ? " many" : "";
  const sheet = el("table", { class: "confusion" + many }, el("thead", {}, head), body);
  byId("weights").append(
    el(
      "details",
      { id: "weights-table" },
      el("summary", {}, "Which graphlet weighs how much for which output"),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Weights" }, sheet),
    ),
  );
}
