"""Check all links within a built site, offline: ``python tools/check_links.py FOLDER``.

Every link to a file of the site must lead to one, and every fragment to an element of that page.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit


class Page(HTMLParser):
    """The links of a page, and the names that others may link to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element links to and what it is called."""
        for key, value in attrs:
            if value is None:
                continue
            if key in ("href", "src"):
                self.links.append(value)
            elif key in ("id", "name"):
                self.names.add(value)


def broken_links(folder: Path) -> list[str]:
    """Return one line per link that leads nowhere."""
    pages = {
        path.resolve(): Page(path.read_text(encoding="utf-8", errors="replace"))
        for path in sorted(folder.rglob("*.html"))
        if "_static" not in path.parts  # templates of the theme
    }
    found = []
    for path, page in pages.items():
        for link in page.links:
            address, fragment = urldefrag(link)
            if urlsplit(address).scheme or address.startswith("//"):
                continue
            place = unquote(urlsplit(address).path)
            target = (path.parent / place).resolve() if place else path
            if not target.exists():
                found.append(f"{path.name}: {link} does not exist")
            elif fragment and target in pages and unquote(fragment) not in pages[target].names:
                found.append(f"{path.name}: {link} has no such place")
    return found


def main() -> None:
    """Print what leads nowhere; exit with 1 if anything does."""
    found = broken_links(Path(sys.argv[1]))
    print("\n".join(found) or "All links lead somewhere.")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
