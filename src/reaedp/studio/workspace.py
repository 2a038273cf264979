"""The folder that the studio was started with, and the projects in it."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from reaedp.errors import DeclarationError, sentence, unknown
from reaedp.studio.project import Project
from reaedp.studio.work import Works

#: The address of the folder itself, where that is a project; no folder of a project has this name.
ITSELF = "~"
#: Letters are those of all languages; the name that somebody typed has no blanks at its ends.
_NAME = re.compile(r"[^\W_][\w -]{0,99}")


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder whose own files, or those of folders in it, are projects."""

    folder: Path
    works: Works = field(default_factory=Works, compare=False)

    def projects(self) -> dict[str, Project]:
        """The projects by their addresses; names are looked up here, so that no address leads elsewhere."""
        found = {}
        if Project(self.folder, self.folder.name).begun:
            found[ITSELF] = Project(self.folder, self.folder.name or str(self.folder))
        for path in sorted(self.folder.iterdir(), key=lambda path: path.name.lower()):
            if path.is_dir() and not path.is_symlink() and not path.name.startswith("."):
                project = Project(path, path.name)
                if project.begun:
                    found[path.name] = project
        return found

    def project(self, address: str) -> Project:
        """The project at an address."""
        found = self.projects()
        if address not in found:
            raise DeclarationError(unknown("project", address, found))
        return found[address]

    def create(self, name: str) -> tuple[str, Project]:
        """A new project and its address."""
        if not _NAME.fullmatch(name):
            rule = "The name of a project must be 1 to 100 letters, digits, spaces, - or _"
            raise DeclarationError(sentence(f"{rule}, because it becomes a folder's name", given=name))
        folder = self.folder / name
        if folder.exists():
            raise DeclarationError(f"There is a folder {name} already. Choose another name.")
        try:
            folder.mkdir(mode=0o700)
        except OSError as error:
            raise DeclarationError(f"{folder} cannot be written: {error.strerror}.") from None
        project = Project(folder, name)
        project.remember("")
        return name, project
