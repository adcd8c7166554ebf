// Graphs as points by their match of two graphlets.

function showScatter() {
  const body = byId("scatter-body");
  body.replaceChildren();
  if (V.graphlets.length < 2) {
    body.append(el("p", {}, "A scatter needs two graphlets."));
    return;
  }
  const choose = (id, label, value) => {
    const select = el("select", { id });
    V.graphlets.forEach((g) =>
      select.append(
        el(
          "option",
          { value: g.rank },
          "#" + g.number + " " + cut(g.name, 40) + " (" + signed(g.coef) + ")",
        ),
      ),
    );
    select.value = value;
    return [el("label", {}, label + " ", select), select];
  };
  const up = V.graphlets.find((g) => g.coef > 0),
    down = V.graphlets.find((g) => g.coef < 0);
  const [one, xs] = choose("scatter-x", "Across", up && down ? up.rank : 0),
    [two, ys] = choose("scatter-y", "Upwards", up && down ? down.rank : 1);
  const place = el("div", { id: "scatter-plot" });
  body.append(el("div", { class: "controls" }, one, two), place);
  function draw() {
    const i = Number(xs.value),
      j = Number(ys.value);
    const a = axes({
      x: padded([0, Math.max(1, ...D.listed.map((k) => V.psi[k][i]))]),
      y: padded([0, Math.max(1, ...D.listed.map((k) => V.psi[k][j]))]),
      xName: "match of #" + V.graphlets[i].number,
      yName: "match of #" + V.graphlets[j].number,
      width: 460,
      height: 400,
      name: "Graphs by their match of two graphlets",
    });
    a.root.setAttribute("role", "group");
    const heaps = new Map();
    D.listed.forEach((k) => {
      const row = V.psi[k];
      const id =
        row[i].toFixed(2) + "/" + row[j].toFixed(2) + "/" + (V.y && V.classes ? V.y[k] : "");
      if (!heaps.has(id)) heaps.set(id, []);
      heaps.get(id).push(k);
    });
    for (const heap of heaps.values()) {
      const k = heap[0],
        dot = svg("circle", {
          cx: a.px(V.psi[k][i]),
          cy: a.py(V.psi[k][j]),
          r: 3.5 + Math.min(8, Math.sqrt(heap.length) - 1),
          fill: V.y && V.classes && V.y[k] !== null ? classColour(V.y[k]) : "var(--ink)",
          "fill-opacity": 0.6,
          tabindex: "0",
          role: "button",
          class: "dot",
        });
      withTip(
        dot,
        (heap.length === 1
          ? graphName(k)
          : plural(heap.length) + ": " + cut(heap.map(graphName).join(", "), 60)) +
          (V.y && V.y[k] !== null ? ", true " + cut(V.y[k], 30) : "") +
          ", match " +
          num(V.psi[k][i]) +
          " and " +
          num(V.psi[k][j]),
      );
      const open = () => {
        openGraphs({ graph: k });
        byId("gallery").scrollIntoView();
      };
      dot.addEventListener("click", open);
      dot.addEventListener("keydown", (event) => {
        if (event.key === "Enter") open();
      });
      a.root.append(dot);
    }
    const caption = el(
      "span",
      {},
      V.graphlets[i].name +
        " across, " +
        V.graphlets[j].name +
        " upwards; larger dots are several " +
        D.noun +
        "s.",
    );
    if (V.classes) {
      const unknown = !V.y || D.listed.some((k) => V.y[k] === null) ? ["unknown"] : [];
      caption.append(
        key(
          [...V.classes.map((n) => cut(n, 20)), ...unknown],
          [...V.classes.map(classColour), ...unknown.map(() => "var(--ink)")],
        ),
      );
    }
    place.replaceChildren(figure(a.root, caption));
  }
  xs.addEventListener("change", draw);
  ys.addEventListener("change", draw);
  draw();
}
