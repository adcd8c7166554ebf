// A drawing of a graph or a graphlet that is not a molecule: labels in circles, or dots.

const BONDS = { "=": 2, "#": 3, $: 4, ":": 2 };
function drawGraph(
  g,
  {
    fills = null,
    edgeFills = null,
    width = 280,
    height = 170,
    name = "",
    numbered = false,
    dots = D.dots,
  } = {},
) {
  const radius = dots ? 0.14 : 0.31;
  const xs = g.xy.map((p) => p[0] / 100),
    ys = g.xy.map((p) => p[1] / 100);
  const x0 = Math.min(...xs) - 0.5,
    x1 = Math.max(...xs) + 0.5,
    y0 = Math.min(...ys) - 0.5,
    y1 = Math.max(...ys) + 0.5;
  const unit = Math.min(52, width / (x1 - x0), height / (y1 - y0));
  const w = (x1 - x0) * unit,
    h = (y1 - y0) * unit;
  const root = svg("svg", {
    viewBox: `${x0} ${y0} ${x1 - x0} ${y1 - y0}`,
    width: w.toFixed(0),
    height: h.toFixed(0),
    role: "img",
    "aria-label": name,
    class: "graph",
  });
  g.edges.forEach(([u, v], i) => {
    const bond = g.bonds ? g.bonds[i] : null,
      count = BONDS[bond] || 1;
    const dx = xs[v] - xs[u],
      dy = ys[v] - ys[u],
      length = Math.hypot(dx, dy) || 1;
    for (let k = 0; k < count; k++) {
      const shift = 0.07 * (2 * k - (count - 1)),
        sx = (-dy / length) * shift,
        sy = (dx / length) * shift;
      const line = svg("line", {
        x1: xs[u] + sx,
        y1: ys[u] + sy,
        x2: xs[v] + sx,
        y2: ys[v] + sy,
        "stroke-width": edgeFills && edgeFills[i] ? 0.1 : 0.05,
        class: "bond",
      });
      if (bond === ":" && k === 1) line.setAttribute("stroke-dasharray", ".12 .08");
      if (edgeFills && edgeFills[i]) line.style.stroke = edgeFills[i];
      root.append(line);
    }
  });
  g.labels.forEach((label, i) => {
    const fill = fills ? fills[i] : D.colours.labels[label] || "#cccccc";
    const shown = cut(label, 4),
      two = numbered && unit > 26 && !dots;
    const title = svg("title");
    title.textContent = `node ${i}: ${label}`;
    const text = svg("text", {
      x: xs[i],
      y: ys[i] - (two ? 0.07 : 0),
      "font-size": shown.length < 3 ? 0.34 : 0.2,
      "text-anchor": "middle",
      "dominant-baseline": "central",
    });
    text.style.fill = inkOn(fill);
    text.textContent = dots ? "" : shown;
    const node = svg(
      "g",
      {},
      title,
      svg("circle", {
        cx: xs[i],
        cy: ys[i],
        r: radius,
        fill,
        stroke: "#666666",
        "stroke-width": 0.03,
      }),
      text,
    );
    if (two) {
      const number = svg("text", {
        x: xs[i],
        y: ys[i] + 0.19,
        "font-size": 0.15,
        "text-anchor": "middle",
        "dominant-baseline": "central",
      });
      number.style.fill = inkOn(fill);
      number.textContent = i;
      node.append(number);
    }
    root.append(node);
  });
  return root;
}

// Any graph with what its nodes and edges add: a skeletal formula if it is a molecule.
function drawMarked(g, atoms, bonds, options) {
  if (g.skeleton) return drawSkeleton(g, { ...options, atoms, bonds });
  const big = Math.max(1e-12, ...atoms.map(Math.abs)),
    bigEdge = Math.max(1e-12, ...bonds.map(Math.abs));
  return drawGraph(g, {
    ...options,
    dots: D.dots || D.degrees, // a drawing shows the degrees anyway
    fills: g.labels.map((_, i) => tint(atoms[i] || 0, big)),
    edgeFills: bonds.map((v) => (v ? tint(v, bigEdge) : null)),
  });
}

const drawPlain = (g, options) => (g.skeleton ? drawSkeleton(g, options) : drawGraph(g, options));
