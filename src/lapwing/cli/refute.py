"""``lapwing refute``: search for a violation of a privacy claim, and say so only when ``check`` agrees."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from lapwing.cli.console import emit, json_option, people, working
from lapwing.cli.targets import choose_lattice, lattice_option, read_settings, read_target, set_option
