// Axes with ticks, lines on them, captions and keys.

function axes({
  width = 300,
  height = 240,
  x = [0, 1],
  y = [0, 1],
  xName = "",
  yName = "",
  name = "",
  logX = false,
  logY = false,
  flipX = false,
}) {
  const left = 46,
    right = 18,
    top = 10,
    bottom = 38;
  const root = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": name,
    style: "max-width:100%;height:auto",
  });
  const scale = (v, [a, b], log) =>
    log ? (Math.log(v) - Math.log(a)) / (Math.log(b) - Math.log(a) || 1) : (v - a) / (b - a || 1);
  const px = (v) => {
    const s = scale(v, x, logX);
    return left + (flipX ? 1 - s : s) * (width - left - right);
  };
  const py = (v) => height - bottom - scale(v, y, logY) * (height - top - bottom);
  root.append(
    svg("path", { class: "axis", d: `M${left},${top}V${height - bottom}H${width - right}` }),
  );
  const ticks = ([a, b], log) =>
    [0, 0.5, 1].map((s) =>
      log ? Math.exp(Math.log(a) + s * (Math.log(b) - Math.log(a))) : a + s * (b - a),
    );
  const put = (tx, ty, text, anchor, turn) => {
    const t = svg("text", { x: tx, y: ty, "font-size": 11, "text-anchor": anchor, class: "faint" });
    if (turn) t.setAttribute("transform", `rotate(-90 ${tx} ${ty})`);
    t.textContent = text;
    root.append(t);
  };
  for (const v of ticks(x, logX)) put(px(v), height - bottom + 14, num(v, 2), "middle");
  for (const v of ticks(y, logY)) put(left - 4, py(v) + 4, num(v, 2), "end");
  put((left + width - right) / 2, height - 6, xName, "middle");
  put(10, (top + height - bottom) / 2, yName, "middle", true);
  const line = (points, colour, dash) => {
    const p = svg("path", {
      d: points
        .filter(([a, b]) => a !== null && b !== null)
        .map(([a, b], i) => `${i ? "L" : "M"}${px(a).toFixed(1)},${py(b).toFixed(1)}`)
        .join(""),
      fill: "none",
      stroke: colour,
      "stroke-width": 2,
    });
    if (dash) p.setAttribute("stroke-dasharray", dash);
    root.append(p);
    return p;
  };
  return { root, px, py, line };
}

const extent = (values) => {
  const v = values.filter((u) => u !== null && isFinite(u));
  return v.length ? [Math.min(...v), Math.max(...v)] : [0, 1];
};

function figure(picture, caption) {
  return el("figure", {}, picture, el("figcaption", {}, caption));
}

function key(names, colours, dashes = []) {
  const line = el("span", {});
  names.forEach((name, i) => {
    const mark = el("span", { "aria-hidden": "true" }, dashes[i] ? " ┄ " : " ━ ");
    mark.style.color = colours[i];
    line.append(mark, name);
  });
  return line;
}
