"""The program that the Ray driver sends to a node, without Ray."""

from __future__ import annotations

import hashlib
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from common import DRIVER

sys.path.insert(0, str(DRIVER.parent))
import ray_driver  # noqa: E402

PROGRAM = b"a program"


class Installed(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        ray = types.SimpleNamespace(get=lambda reference: reference)
        for patch in [
            mock.patch.object(tempfile, "gettempdir", lambda: self.folder.name),
            mock.patch.object(ray_driver, "ray", ray, create=True),
        ]:
            patch.start()
            self.addCleanup(patch.stop)
        sha256 = hashlib.sha256(PROGRAM).hexdigest()
        self.parcel = ray_driver.Parcel([PROGRAM], sha256, {}, "", {}, [], [], 1)

    def test_a_damaged_program_in_its_place_is_replaced(self) -> None:
        path = ray_driver.installed(self.parcel)
        self.assertEqual(path.read_bytes(), PROGRAM)
        for damage in [b"", b"another program"]:
            path.write_bytes(damage)
            self.assertEqual(ray_driver.installed(self.parcel).read_bytes(), PROGRAM)

    def test_a_folder_that_others_can_write_to_is_not_used(self) -> None:
        folder = ray_driver.installed(self.parcel).parent
        folder.chmod(0o777)
        with self.assertRaises(PermissionError):
            ray_driver.installed(self.parcel)
        moved = Path(self.folder.name) / "moved"
        folder.chmod(0o700)
        folder.rename(moved)
        folder.symlink_to(moved)
        with self.assertRaises(PermissionError):
            ray_driver.installed(self.parcel)


if __name__ == "__main__":
    unittest.main()
