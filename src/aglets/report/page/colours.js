// Colours of classes and of what nodes add.

const parts = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
function between(one, other, share) {
  const a = parts(one),
    b = parts(other),
    s = Math.min(1, share);
  const mixed = a.map((v, i) => Math.round(v + s * (b[i] - v)));
  return "#" + mixed.map((v) => v.toString(16).padStart(2, "0")).join("");
}

function tint(value, largest) {
  if (!(largest > 0) || !value) return D.colours.neutral;
  const end = value > 0 ? D.colours.positive : D.colours.negative;
  return between(D.colours.neutral, end, Math.abs(value) / largest);
}

function inkOn(colour) {
  const [r, g, b] = parts(colour).map((v) => {
    v /= 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  });
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return (light + 0.05) ** 2 > 0.0525 ? "#000000" : "#ffffff";
}

// Of two classes, the second is blue as is what raises the decision; of more, none is.
function classColour(name) {
  const c = Math.max(0, V.classes.indexOf(name));
  if (V.classes.length === 2) return D.colours.two[c];
  return D.colours.classes[c % D.colours.classes.length];
}
