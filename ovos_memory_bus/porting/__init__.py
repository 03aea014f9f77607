"""A memory as one file, out of a store and into another: JSON Lines that people and programs can read."""

from .exporting import Exported, export_to
from .importing import Imported, import_arrivals, import_from

__all__ = ["Exported", "Imported", "export_to", "import_arrivals", "import_from"]
