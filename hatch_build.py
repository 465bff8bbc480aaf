"""The README as package indexes show it: links and pictures with whole addresses."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Readme(MetadataHookInterface):
    """Writes `readme`, from README.md and the address of the project."""

    def update(self, metadata: dict) -> None:
        """The branch or tag of this version is `v` and its number."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        place = f"{metadata['urls']['Homepage']}/blob/v{metadata['version']}/"
        text = re.sub(r"(!\[[^]]*\])\((?!\w+:)([^)#]+)\)", rf"\1({place}\2?raw=true)", text)
        text = re.sub(r"\]\((?!\w+:|#)([^)]+)\)", rf"]({place}\1)", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
