"""A bridge that ends before it listens."""
import sys

sys.exit("ModuleNotFoundError: no module named wonder")
