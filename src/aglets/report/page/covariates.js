// The table of covariates.

function showCovariates() {
  const body = byId("covariates-body");
  body.replaceChildren();
  if (!V.covariates.length) return;
  const heads = [
    "covariate",
    "adds, by a standard deviation",
    "adds, by one",
    "mean",
    ...(V.classes ? ["more is evidence for"] : []),
  ];
  body.append(
    el("h3", {}, "Covariates"),
    el(
      "p",
      {},
      "Numbers of the whole graph, which are not graphlets. They add to the decision what is above or below their mean in training, times a weight.",
    ),
  );
  const sheet = el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ...heads.map((name) => el("th", { scope: "col" }, name)))),
    ),
    inner = el("tbody");
  sheet.append(inner);
  for (const c of V.covariates)
    inner.append(
      el(
        "tr",
        {},
        el("th", { scope: "row" }, cut(c.name, 40)),
        el("td", { class: c.effect > 0 ? "pos" : "neg" }, signed(c.effect)),
        el("td", {}, signed(c.coef)),
        el("td", {}, num(c.center)),
        ...(V.classes ? [el("td", {}, cut(String(c.evidence_for), 30))] : []),
      ),
    );
  body.append(
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Covariates" },
      sheet,
    ),
  );
}
