"""A Dask cluster whose workers and scheduler are killed leaves the same files as one process."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rulelang.lab.study import Setting, Study
from tests.lab.games import written

pytestmark = pytest.mark.soak


def start(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:], "--no-dashboard"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_workers_and_scheduler_are_killed(tmp_path: Path) -> None:
    """While games are played a worker is killed and replaced, then the scheduler."""
    pytest.importorskip("distributed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    address = f"tcp://127.0.0.1:{port}"
    path = str(written(tmp_path / "market", "market"))
    wanted = [(Setting(path, players=2), 200_000), (Setting(path, players=2, bots=("mcts:50",)), 1500)]

    def scheduler() -> subprocess.Popen[bytes]:
        return start("scheduler", "--port", port, "--host", "127.0.0.1")

    def worker() -> subprocess.Popen[bytes]:
        return start("worker", address, "--nthreads", "1", "--no-nanny")

    def kill(process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()

    def lines() -> int:
        return sum(file.read_bytes().count(b"\n") for file in (tmp_path / "a").glob("games/*"))

    def wait_for(count: int) -> None:
        end = time.monotonic() + 200
        while lines() < count and time.monotonic() < end:
            time.sleep(0.1)
        assert lines() >= count

    running = [scheduler(), worker(), worker()]
    try:
        with Study(tmp_path / "a", scheduler=address) as study:
            playing = threading.Thread(target=study.play, args=(wanted,))
            playing.start()
            wait_for(10_000)
            kill(running[1])
            running[1] = worker()
            wait_for(40_000)
            kill(running[0])
            time.sleep(3)
            for process in running[1:]:  # they end with their scheduler
                kill(process)
            running[:] = [scheduler(), worker(), worker()]
            wait_for(200_100)
            kill(running[2])
            playing.join(300)
            assert not playing.is_alive()
    finally:
        for process in running:
            kill(process)
    with Study(tmp_path / "b") as study:
        study.play(wanted)
        for setting, _ in wanted:
            name = study.file(setting).name
            assert (tmp_path / "a" / "games" / name).read_bytes() == (tmp_path / "b" / "games" / name).read_bytes()
