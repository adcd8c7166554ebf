// Axes with ticks at round numbers, lines on them, captions and keys.

// Round numbers within a range: 1, 2 or 5 times a power of ten apart.
function roundTicks([a, b], most = 5) {
  const raw = (b - a) / most;
  if (!(raw > 0)) return [a];
  const power = 10 ** Math.floor(Math.log10(raw)),
    step = power * ([1, 2, 5, 10].find((m) => m * power >= raw * 0.999) || 10),
    ticks = [];
  for (let k = Math.ceil(a / step - 1e-9); k * step <= b + 1e-9 * step; k++) ticks.push(k * step);
  return ticks;
}

function logTicks([a, b]) {
  const fine = [],
    ticks = [];
  for (let e = Math.floor(Math.log10(a)); e <= Math.log10(b) + 1e-9; e++)
    for (const m of [1, 2, 5]) {
      const v = m * 10 ** e;
      if (v < a * (1 - 1e-9) || v > b * (1 + 1e-9)) continue;
      fine.push(v);
      if (m === 1) ticks.push(v);
    }
  if (fine.length > 1 && fine.length < 6) return fine;
  if (ticks.length > 5) return ticks.filter((_, i) => i % Math.ceil(ticks.length / 5) === 0);
  return ticks.length > 1 ? ticks : [a, Math.sqrt(a * b), b];
}

// Three digits; large and small numbers with a power of ten, so that neighbours do not touch.
function tickText(v) {
  const big = Math.abs(v) >= 1e5 || (v && Math.abs(v) < 1e-3);
  const [digits, power] = v.toExponential(2).split("e");
  return (big ? Number(digits) + "e" + Number(power) : num(v)).replaceAll("-", "−");
}

// A range with some room at both ends, so that no dot lies on an axis.
const padded = ([a, b]) => [a - 0.03 * (b - a || 1), b + 0.03 * (b - a || 1)];

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
  const xTicks = logX ? logTicks(x) : roundTicks(x),
    yTicks = logY ? logTicks(y) : roundTicks(y),
    widest = Math.max(...yTicks.map((v) => tickText(v).length));
  // Room for the longest number on the left, and for half of the last one on the right.
  const left = 24 + 7 * widest,
    right = 10 + 3.5 * Math.max(...xTicks.map((v) => tickText(v).length)),
    top = 12,
    bottom = 40;
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
  const put = (tx, ty, text, anchor, turn) => {
    const t = svg("text", { x: tx, y: ty, "font-size": 11, "text-anchor": anchor, class: "faint" });
    if (turn) t.setAttribute("transform", `rotate(-90 ${tx} ${ty})`);
    t.textContent = text;
    root.append(t);
  };
  for (const v of xTicks) put(px(v), height - bottom + 14, tickText(v), "middle");
  for (const v of yTicks) put(left - 4, py(v) + 4, tickText(v), "end");
  put((left + width - right) / 2, height - 8, xName, "middle");
  put(11, (top + height - bottom) / 2, yName, "middle", true);
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
  const bottomLine = height - bottom;
  return { root, px, py, line, top, bottomLine, left, right: width - right };
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
    const stroke = { stroke: colours[i], "stroke-width": 3, "stroke-dasharray": dashes[i] || "" };
    const mark = svg(
      "svg",
      { width: 26, height: 8, class: "keymark", "aria-hidden": "true" },
      svg("line", { x1: 4, x2: 22, y1: 4, y2: 4, ...stroke }),
    );
    line.append(mark, name);
  });
  return line;
}
