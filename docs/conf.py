"""How Sphinx makes the site: `make docs`, which fails at the first warning."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from aglets import __version__

project = "aglets"
author = "The aglets authors"
copyright = "the aglets authors, BSD-3-Clause"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "code_blocks",
    "mathml",
    "public_names",
    "repository_links",
]
exclude_patterns = ["_build", "gallery/*.py", "gallery/*.md5", "gallery/**/*.ipynb"]
suppress_warnings = ["config.cache"]  # sort keys of the gallery are functions
nitpicky = False

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist", "attrs_block"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autosummary_generate = True
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": ["../examples/gallery"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"[\\/]plot_",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "remove_config_comments": True,
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("matplotlib",),
    "plot_gallery": "True",
    "image_srcset": ["2x"],
}

html_theme = "pydata_sphinx_theme"
html_title = "aglets"
html_static_path = ["_static"]
html_extra_path = ["../build/docs-report"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "header_links_before_dropdown": 6,
}
