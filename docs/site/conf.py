"""Settings of Sphinx. Everything the pages need lies in the site: no fonts, scripts or pictures from elsewhere."""

from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from public_names import plain, short

project = "REAEDP"
author = copyright = "the authors of REAEDP"  # noqa: A001
version = release = installed("reaedp")

extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
myst_heading_anchors = 3

highlight_language = "text"
smartquotes = False

autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
add_module_names = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 130

html_theme = "furo"
html_title = "REAEDP"
html_static_path = [str(Path(__file__).parent / "style")]
html_css_files = ["reading.css"]
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # would be fetched, which a browser refuses for files
html_use_index = False
html_domain_indices = False


def setup(app: Any) -> None:
    """Docstrings are read as plain words, and types are shortened."""
    app.connect("autodoc-process-docstring", plain)
    app.connect("autodoc-process-signature", short)
