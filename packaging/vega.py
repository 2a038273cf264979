"""Vega, Vega-Lite and Vega-Embed as one script, from the installed vl-convert into the package: `make vega`."""

import gzip
from pathlib import Path

import vl_convert

TARGET = Path(__file__).resolve().parents[1] / "src" / "reaedp" / "report" / "vega.js.gz"


def script() -> str:
    """The bundle, after a line that says which version made it; nothing in it ends the element that it stands in."""
    # Without a snippet it is everything; its stub knows of no such call.
    code = str(vl_convert.javascript_bundle(None))  # type: ignore[arg-type]
    harmless = code.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return f"// Vega by vl-convert {vl_convert.__version__}; BSD 3-Clause, University of Washington.\n{harmless}"


if __name__ == "__main__":
    TARGET.write_bytes(gzip.compress(script().encode(), 9, mtime=0))
