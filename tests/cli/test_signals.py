# SPDX-License-Identifier: Apache-2.0
"""How a run ends early: Ctrl+C at once with 130, a closed pipe quietly."""

import os
import pty
import select
import signal
import subprocess
import time
import unittest

from product import BINARY, answer, events, large

ENOUGH = 30  # seconds; far more than is ever needed, so that only a hang is a failure


def start(*arguments, **streams):
    return subprocess.Popen([BINARY, *map(str, arguments)], stderr=subprocess.PIPE, **streams)


class Interrupt(unittest.TestCase):
    def stop(self, process, number):
        process.send_signal(number)
        self.assertEqual(process.wait(ENOUGH), 130)
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()

    def test_in_the_middle_of_a_scan(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = start("scan", *[large()] * 20, "--format", "jsonl", stdout=subprocess.PIPE)
            self.assertTrue(process.stdout.readline())  # it has begun, and now waits for us to read on
            self.stop(process, number)
            process.stdout.close()

    def test_in_the_middle_of_a_count(self):
        process = start("count", *[large()] * 500, "--where", "note LIKE '%7%7%'", stdout=subprocess.PIPE)
        # No output tells how far it is: wait until it has worked for a while.
        while cpu_ticks(process.pid) < 10:
            self.assertIsNone(process.poll(), "the count has ended too soon")
            time.sleep(0.01)
        self.stop(process, signal.SIGINT)
        self.assertEqual(process.stdout.read(), b"")
        process.stdout.close()

    def test_while_verifying(self):
        process = start("verify", *[large()] * 500, "--where", "id >= 0", stdout=subprocess.DEVNULL)
        while cpu_ticks(process.pid) < 10:
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        self.stop(process, signal.SIGINT)


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


class BrokenPipe(unittest.TestCase):
    def test_is_quiet(self):
        for form in ("jsonl", "json", "csv", "arrow"):
            process = start("scan", large(), "--format", form, stdout=subprocess.PIPE)
            self.assertTrue(process.stdout.read(10))
            process.stdout.close()
            self.assertEqual((process.wait(ENOUGH), process.stderr.read()), (0, b""), form)
            process.stderr.close()

    def test_before_anything_is_written(self):
        for arguments in (["count", events()], ["explain", events()], ["inspect", events()], ["scan", events(), "--format", "table"],
                          ["verify", events(), "--where", "id = 1"]):
            reader, writer = os.pipe()
            os.close(reader)
            process = start(*arguments, stdout=writer)
            os.close(writer)
            self.assertEqual((process.wait(ENOUGH), process.stderr.read()), (0, b""), arguments)
            process.stderr.close()

    def test_full_disk_is_an_error(self):
        for arguments in (["scan", events()], ["count", events()], ["explain", events()], ["inspect", events()],
                          ["verify", events(), "--where", "id = 1"]):
            with open("/dev/full", "w") as full:
                process = start(*arguments, stdout=full)
                self.assertEqual(process.wait(ENOUGH), 1, arguments)
                self.assertEqual(process.stderr.read().count(b"\n"), 1, arguments)
                process.stderr.close()


class Terminal(unittest.TestCase):
    def output(self, *arguments, **environment):
        """What a run prints on a terminal."""
        master, slave = pty.openpty()
        process = start(*arguments, stdout=slave, env={**os.environ, **environment})
        os.close(slave)
        text = b""
        while select.select([master], [], [], ENOUGH)[0]:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            text += part
        os.close(master)
        self.assertEqual(process.wait(ENOUGH), 0)
        process.stderr.close()
        return text.decode().replace("\r\n", "\n")

    def test_table_is_the_default(self):
        plain = self.output("scan", events(), NO_COLOR="1")
        self.assertEqual(plain, answer("scan", events(), "--format", "table"))

    def test_colour(self):
        environment = {"NO_COLOR": ""}
        self.assertIn("\x1b[", self.output("scan", events(), **environment))
        self.assertNotIn("\x1b[", self.output("scan", events(), "--format", "jsonl", "--limit", "3", **environment))


if __name__ == "__main__":
    unittest.main()
