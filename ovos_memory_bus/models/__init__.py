"""The embedding models: which there are, where they lie, how they get there. One folder a model, with its manifests
and the script that builds it; nothing here is loaded by the running service but the manifests."""

from .folders import find, install_folder, installed, search_path, verify
from .install import Progress, install
from .manifest import Manifest, available, manifest

__all__ = [
    "Manifest",
    "Progress",
    "available",
    "find",
    "install",
    "install_folder",
    "installed",
    "manifest",
    "search_path",
    "verify",
]
