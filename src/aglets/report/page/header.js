// What the page is about: target, data, whether it is about training graphs; tabs of targets.

function showHeader() {
  const facts = byId("facts"),
    o = D.origin,
    add = (name, text) => facts.append(el("span", {}, name + " ", el("strong", {}, text)));
  facts.replaceChildren();
  if (V.target) add("Target", cut(V.target, 60));
  add("Data", (D.source ? cut(D.source, 60) + ", " : "") + plural(D.n_graphs));
  if (o.n_training !== null) add("Fitted on", plural(o.n_training));
  const names = {
    training: "training data",
    mixed: "partly training data",
    test: "test data",
    unknown: "training or test: not known",
  };
  const good = o.kind === "test" ? " good" : "";
  facts.append(
    el("span", { class: "badge" + good, id: "badge", title: o.sentence }, names[o.kind]),
  );
  const banner = byId("banner");
  banner.hidden = o.kind === "test";
  banner.replaceChildren(
    el("strong", {}, o.kind === "training" ? "Measured on training data. " : ""),
    o.sentence,
  );
  byId("summary").replaceChildren(
    ...(V.empty ? [el("p", { id: "empty" }, V.empty)] : []),
    ...V.sentences.map((sentence) => el("p", {}, sentence)),
  );
}

// A row of buttons of which one is chosen.
function tabs(label, names, current, choose) {
  const row = el("div", { class: "tabs", role: "group", "aria-label": label });
  names.forEach(([value, text]) => {
    const button = el("button", { type: "button" }, cut(text, 30));
    button.setAttribute("aria-pressed", String(value === current));
    button.addEventListener("click", () => {
      for (const other of row.children) other.setAttribute("aria-pressed", "false");
      button.setAttribute("aria-pressed", "true");
      choose(value);
    });
    row.append(button);
  });
  return row;
}

function showTargets() {
  if (D.views.length < 2) return;
  const names = D.views.map((v, i) => [i, v.target || "target " + i]);
  byId("targets").append(
    tabs("Targets", names, 0, (i) => {
      V = D.views[i];
      showView();
    }),
  );
}
