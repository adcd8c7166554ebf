// Colours of labels, classes and contributions.

const parts = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
function between(one, other, share) {
  const a = parts(one),
    b = parts(other),
    s = Math.min(1, share);
  return (
    "#" +
    a
      .map((v, i) =>
        Math.round(v + s * (b[i] - v))
          .toString(16)
          .padStart(2, "0"),
      )
      .join("")
  );
}

const tint = (value, largest) =>
  largest > 0 && value
    ? between(
        D.colours.neutral,
        value > 0 ? D.colours.positive : D.colours.negative,
        Math.abs(value) / largest,
      )
    : D.colours.neutral;
function inkOn(colour) {
  const [r, g, b] = parts(colour).map((v) => {
    v /= 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  });
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return (light + 0.05) ** 2 > 0.0525 ? "#000000" : "#ffffff";
}

const classColour = (name) => {
  const c = D.classes ? D.classes.indexOf(name) : 0;
  return D.colours.classes[(c < 0 ? 0 : c) % D.colours.classes.length];
};
