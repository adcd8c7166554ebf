// A skeletal formula, with discs behind marked atoms and bands behind marked bonds.

// `atoms` and `bonds` hold a number per atom and per edge: its sign is the colour, its size against
// the largest one the strength.
function drawSkeleton(g, { atoms = [], bonds = [], width = 300, height = 180, name = "" } = {}) {
  const s = g.skeleton,
    [w, h] = s.size;
  const unit = Math.min(1.1, width / w, height / h);
  const root = svg("svg", {
    viewBox: `0 0 ${w} ${h}`,
    width: (w * unit).toFixed(0),
    height: (h * unit).toFixed(0),
    role: "img",
    "aria-label": name,
    class: "skeleton",
  });
  const strength = (v, list) => {
    const big = Math.max(...list.map((u) => Math.abs(u || 0)));
    return (0.7 * Math.abs(v)) / big;
  };
  const at = (i) => s.atoms[i].map((v) => v / 10);
  bonds.forEach((v, k) => {
    if (!v || strength(v, bonds) < 0.01) return;
    const [x1, y1] = at(g.edges[k][0]),
      [x2, y2] = at(g.edges[k][1]);
    root.append(
      svg("line", {
        ...{ x1, y1, x2, y2, class: v > 0 ? "band-up" : "band-down" },
        ...{ "stroke-width": 11, "stroke-opacity": strength(v, bonds).toFixed(2) },
      }),
    );
  });
  atoms.forEach((v, i) => {
    if (!v || strength(v, atoms) < 0.01) return;
    const [cx, cy] = at(i);
    root.append(
      svg("circle", {
        ...{ cx, cy, r: 9, class: v > 0 ? "up" : "down" },
        "fill-opacity": strength(v, atoms).toFixed(2),
      }),
    );
  });
  for (const [kind, ...p] of s.lines) {
    let d = "";
    for (let i = 0; i < p.length; i += 2) d += (i ? "L" : "M") + p[i] / 10 + " " + p[i + 1] / 10;
    const line = svg("path", {
      d: kind & 1 ? d + "Z" : d,
      "stroke-width": 1.6,
      "stroke-linecap": "round",
      ...(kind & 1 ? { class: "fill" } : { fill: "none" }),
    });
    if (kind & 2) line.setAttribute("stroke-dasharray", "4 3");
    root.append(line);
  }
  for (const [x, y, size, letter] of s.letters) {
    const text = svg("text", { x: x / 10, y: y / 10, "font-size": size / 10 });
    text.textContent = letter;
    root.append(text);
  }
  return root;
}

// Numbers for `bonds` of a drawing where a graphlet lies on these nodes.
function marked(g, h, nodes, value) {
  const atoms = [],
    bonds = g.edges.map(() => 0);
  for (const i of nodes) atoms[i] = value;
  const at = new Map(g.edges.map(([u, v], i) => [Math.min(u, v) + "/" + Math.max(u, v), i]));
  for (const [u, v] of h.edges) {
    const p = nodes[u],
      q = nodes[v],
      i = at.get(Math.min(p, q) + "/" + Math.max(p, q));
    if (i !== undefined) bonds[i] = value;
  }
  return { atoms: Array.from(atoms, (v) => v || 0), bonds };
}
