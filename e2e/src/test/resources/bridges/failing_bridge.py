"""A bridge that exits before it listens."""
import sys

sys.exit("ModuleNotFoundError: no module named wonder")
