// Fill the page, and answer its controls.

function showView() {
  showHeader();
  showQuality();
  prepareGraphlets();
  showGraphlets();
  showCovariates();
  prepareGallery();
  showGallery();
  showPath();
  showScatter();
  showCost();
  showRerun();
}

showTargets();
showWeights();
showView();
for (const id of ["graphlet-sort", "graphlet-sign"])
  byId(id).addEventListener("change", showGraphlets);
byId("graphlet-filter").addEventListener("input", showGraphlets);
byId("gallery-kind").addEventListener("change", showGallery);
byId("gallery-output").addEventListener("change", showGallery);
byId("gallery-search").addEventListener("input", showGallery);
byId("gallery-more").addEventListener("click", () => {
  shownGraphs += 2 * PAGE;
  fillGallery();
});

window.addEventListener("beforeprint", () => {
  shownGraphs = matching.length;
  fillGallery();
});

const theme = byId("theme"),
  root = document.documentElement;
let dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
const showTheme = () => {
  theme.textContent = dark ? "Light" : "Dark";
  theme.setAttribute("aria-pressed", String(dark));
};

theme.addEventListener("click", () => {
  dark = !dark;
  root.dataset.theme = dark ? "dark" : "light";
  showTheme();
});

showTheme();
