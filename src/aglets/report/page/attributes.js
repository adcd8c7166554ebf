// The attributes of a graphlet's nodes as bars, with the usual value of nodes of the same label.

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
          fill: g.coef > 0 ? "var(--up)" : "var(--down)",
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

// Atoms in words and the numbers of all nodes, both folded away.
function attributeTexts(g) {
  const bars = attributeBars(g),
    texts = [];
  if (g.words) {
    const list = el("ul", { class: "small" }, ...g.words.map((w) => el("li", {}, w)));
    texts.push(el("details", {}, el("summary", {}, "Its atoms in words"), list));
  }
  if (bars)
    texts.push(
      el(
        "details",
        {},
        el("summary", {}, "Attributes in numbers"),
        el(
          "p",
          { class: "small" },
          "A bar is what the graphlet wants of a node. The cross line is the mean of all nodes with the same label, the upright one its standard deviation.",
        ),
        bars,
      ),
    );
  return texts;
}
