"""``python -m tests.contracts.spark_server FOLDER PORT PID [NAME=VALUE ...]``: a Connect server for as long as PID."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyspark

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.catalogImplementation": "in-memory",
}


def main(folder: str, port: str, watched: str, *given: str) -> None:
    home = Path(pyspark.__file__).parent
    settings = SETTINGS | {
        "spark.connect.grpc.binding.port": port,
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.local.dir": folder,
        **dict(setting.split("=", 1) for setting in given),
    }
    command = [str(home / "bin" / "spark-submit"), "--master", "local[2]"]
    command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
    command += [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    environment = os.environ | {"SPARK_HOME": str(home)}
    server = subprocess.Popen([*command, "spark-internal"], cwd=folder, env=environment, start_new_session=True)
    while server.poll() is None and Path(f"/proc/{watched}").exists() and Path(folder).exists():
        time.sleep(1)
    os.killpg(server.pid, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
