// Links to graphs of the gallery.

const inGallery = new Set(D.gallery.map((g) => g.id));
function graphLink(i) {
  if (!inGallery.has(i)) return el("span", {}, String(i));
  const link = el("a", { href: "#graph-" + i }, String(i));
  link.setAttribute("aria-label", graphName(i));
  link.addEventListener("click", () => openGraph(i));
  return link;
}

function openGraph(i) {
  byId("gallery-kind").value = "all";
  byId("gallery-search").value = "=" + i;
  showGallery();
}

function graphLinks(list) {
  const span = el("span", {});
  list.forEach((i, k) => span.append(k ? ", " : "", graphLink(i)));
  return span;
}
