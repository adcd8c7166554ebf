// Links: from numbers to the graphs that they count, from graphs to graphlets and back.

// Which graphs the gallery is reduced to by a link: a graphlet, a true or a predicted class, one.
let chosen = {};

function graphLink(i, text = graphName(i)) {
  const link = el("a", { href: "#graph-" + i }, cut(text, 40));
  link.addEventListener("click", (event) => {
    event.preventDefault();
    openGraphs({ graph: i });
    location.hash = "graph-" + i;
  });
  return link;
}

function countLink(text, wanted) {
  const link = el("a", { href: "#gallery", title: "Show these" }, text);
  link.addEventListener("click", () => openGraphs(wanted));
  return link;
}

function openGraphs(wanted) {
  chosen = wanted;
  byId("gallery-kind").value = "all";
  byId("gallery-search").value = "";
  showGallery();
}

function graphletLink(h, text) {
  const link = el("a", { href: "#graphlet-" + h.rank }, text);
  link.addEventListener("click", () => {
    openClass(null);
    byId("graphlet-sign").value = "all";
    byId("graphlet-filter").value = "";
    showGraphlets();
  });
  return link;
}

function chosenText() {
  const words = [];
  if ("graph" in chosen) words.push(graphName(chosen.graph));
  if ("graphlet" in chosen) {
    const g = V.graphlets[chosen.graphlet];
    words.push("with graphlet #" + g.number + " " + g.name);
  }
  if ("truth" in chosen) words.push("truly of class " + chosen.truth);
  if ("predicted" in chosen) words.push("predicted as " + chosen.predicted);
  return words.join(", ");
}

function isChosen(i) {
  if ("graph" in chosen && chosen.graph !== i) return false;
  if ("graphlet" in chosen && !(V.psi[i][chosen.graphlet] > 0)) return false;
  if ("truth" in chosen && (!V.y || V.y[i] !== chosen.truth)) return false;
  return !("predicted" in chosen && V.predictions[i] !== chosen.predicted);
}
