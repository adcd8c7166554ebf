// A text that appears next to what the pointer or the keyboard is on.

const tip = byId("tip");
function withTip(node, text) {
  node.setAttribute("aria-label", text);
  const show = () => {
    tip.textContent = text;
    tip.hidden = false;
    const r = node.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(window.innerWidth - 200, r.right + 6)) + "px";
    tip.style.top = Math.max(4, Math.min(window.innerHeight - 60, r.bottom + 6)) + "px";
  };
  const hide = () => {
    tip.hidden = true;
  };
  node.addEventListener("mouseenter", show);
  node.addEventListener("focus", show);
  node.addEventListener("mouseleave", hide);
  node.addEventListener("blur", hide);
}
