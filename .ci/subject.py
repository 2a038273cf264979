"""The first line of a commit's message says in under 72 characters what changed, and for whom.

python .ci/subject.py FILE         a message in a file, as git hands it to a hook
python .ci/subject.py FROM..TO     all commits between two
"""

import subprocess
import sys
from pathlib import Path

LONGEST = 71


def troubles(message: str) -> list[str]:
    """What is wrong with a message, in words; lines that git does not keep are left out."""
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0].strip() if lines else ""
    found = []
    if not subject:
        found.append("The first line is empty. Say what changed, and for whom.")
    if len(subject) > LONGEST:
        found.append(f"The first line has {len(subject)} characters: {subject!r}. Keep it to {LONGEST}.")
    if subject.endswith("."):
        found.append(f"The first line ends with a full stop: {subject!r}. Leave it out.")
    if len(lines) > 1 and lines[1].strip():
        found.append("The second line is not empty. Leave a blank line after the first.")
    return found


def messages(given: str) -> list[str]:
    """The message in a file, or those of a range of commits, merges left out."""
    if ".." not in given or Path(given).exists():
        return [Path(given).read_text(encoding="utf-8")]
    log = ["git", "log", "--no-merges", "--format=%B%x00", given]
    written = subprocess.run(log, capture_output=True, text=True, check=True).stdout
    return [message.strip("\n") for message in written.split("\0") if message.strip()]


def main(given: str) -> int:
    """Print what is wrong; 1 if anything is."""
    found = [trouble for message in messages(given) for trouble in troubles(message)]
    print("\n".join(found), end="\n" if found else "", file=sys.stderr)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
