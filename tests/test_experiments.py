"""What made notebooks/data: every stored result names the code it was made with, and says when that has changed."""

import ast
import json
from pathlib import Path

import pytest

from experiments import bench, stored

ROOT = Path(__file__).parent.parent
MADE = [name for name in stored.RESULTS if stored.read(name)]
