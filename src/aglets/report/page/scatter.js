// Graphs as points by their psi of two graphlets.

function showScatter() {
  const body = byId("scatter-body");
  if (D.graphlets.length < 2) {
    body.append(el("p", {}, "A scatter needs two graphlets."));
    return;
  }
  const choose = (id, label, value) => {
    const select = el("select", { id });
    D.graphlets.forEach((g) =>
      select.append(
        el(
          "option",
          { value: g.rank },
          "#" + (g.rank + 1) + " " + cut(g.name, 40) + " (" + signed(g.coef) + ")",
        ),
      ),
    );
    select.value = value;
    return [el("label", {}, label + " ", select), select];
  };
  const up = D.graphlets.find((g) => g.coef > 0),
    down = D.graphlets.find((g) => g.coef < 0);
  const [one, xs] = choose("scatter-x", "Across", up && down ? up.rank : 0),
    [two, ys] = choose("scatter-y", "Upwards", up && down ? down.rank : 1);
  const place = el("div", { id: "scatter-plot" });
  body.append(el("div", { class: "controls" }, one, two), place);
  function draw() {
    const i = Number(xs.value),
      j = Number(ys.value);
    const a = axes({
      x: [0, 1],
      y: [0, 1],
      xName: "psi of #" + (i + 1),
      yName: "psi of #" + (j + 1),
      width: 460,
      height: 400,
      name: "Graphs by their psi of two graphlets",
    });
    a.root.setAttribute("role", "group");
    const heaps = new Map();
    D.psi.forEach((row, k) => {
      const id =
        row[i].toFixed(2) + "/" + row[j].toFixed(2) + "/" + (D.y && D.classes ? D.y[k] : "");
      if (!heaps.has(id)) heaps.set(id, []);
      heaps.get(id).push(k);
    });
    for (const heap of heaps.values()) {
      const k = heap[0],
        dot = svg("circle", {
          cx: a.px(D.psi[k][i]),
          cy: a.py(D.psi[k][j]),
          r: 3.5 + Math.min(8, Math.sqrt(heap.length) - 1),
          fill: D.y && D.classes ? classColour(D.y[k]) : "var(--accent)",
          "fill-opacity": 0.6,
          tabindex: "0",
          role: "button",
          class: "dot",
        });
      withTip(
        dot,
        (heap.length === 1 ? graphName(k) : heap.length + " graphs: " + cut(heap.join(", "), 40)) +
          (D.y ? ", true " + cut(D.y[k], 30) : "") +
          ", psi " +
          num(D.psi[k][i]) +
          " and " +
          num(D.psi[k][j]),
      );
      const open = () => {
        if (inGallery.has(k)) {
          openGraph(k);
          byId("gallery").scrollIntoView();
        }
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
      D.graphlets[i].name +
        " across, " +
        D.graphlets[j].name +
        " upwards; larger dots are several graphs.",
    );
    if (D.classes)
      caption.append(
        key(
          D.classes.map((n) => cut(n, 20)),
          D.classes.map(classColour),
        ),
      );
    place.replaceChildren(figure(a.root, caption));
  }
  xs.addEventListener("change", draw);
  ys.addEventListener("change", draw);
  draw();
}
