"""An unmodified broker of Apache Kafka on loopback, for as long as a test needs it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lockstep.system.child_process import find_java
from lockstep.system.sealed import cache_folder, make_private
from tests.processes import Started, started_program

VERSION = "4.3.1"

_POM = f"""\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>lockstep</groupId><artifactId>broker</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId>
      <version>{VERSION}</version>
    </dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId>
      <version>2.25.4</version>
    </dependency>
  </dependencies>
</project>
"""

_PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
controller.listener.names=CONTROLLER
log.dirs={folder}/data
offsets.topic.replication.factor=1
auto.create.topics.enable=true
num.partitions=1
"""

_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
_CLUSTER = "AAAAAAAAAAAAAAAAAAAAAA"
_START_SECONDS = 120.0
_HEAP = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


@contextmanager
def kafka_broker(folder: Path) -> Iterator[str]:
    """A broker that keeps its files in a new folder; its address, as `HOST:PORT`."""
    folder.mkdir()
    port, controller = _free_port(), _free_port()
    properties = folder / "server.properties"
    properties.write_text(_PROPERTIES.format(port=port, controller=controller, folder=folder))
    java = [str(find_java()), *_HEAP, "-cp", f"{_jars()}{os.sep}*"]
    storage = ["kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", str(properties)]
    subprocess.run([*java, *storage], check=True, capture_output=True, cwd=folder)
    with folder.joinpath("broker.log").open("wb") as log:
        command = [*java, "kafka.Kafka", str(properties)]
        with started_program(command, folder, stdout=log, stderr=log) as broker:
            _wait(broker, port)
            yield f"127.0.0.1:{port}"


def _wait(broker: Started, port: int) -> None:
    end = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert broker.process.poll() is None, "the broker has ended"
            assert time.monotonic() < end, "the broker does not answer"
            time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _jars() -> Path:
    """The folder of the broker's jars, fetched by Maven where they are not there yet."""
    folder = cache_folder() / f"kafka-{VERSION}"
    if folder.is_dir():
        return folder
    make_private(cache_folder())
    scratch = folder.with_name(f"{folder.name}.{os.getpid()}")
    scratch.mkdir()
    try:
        scratch.joinpath("pom.xml").write_text(_POM)
        copy = ["mvn", "--batch-mode", "--quiet", _COPY, "-DincludeScope=runtime"]
        jars = f"-DoutputDirectory={scratch / 'jars'}"
        subprocess.run([*copy, jars], check=True, cwd=scratch)
        scratch.joinpath("jars").rename(folder)
    finally:
        shutil.rmtree(scratch)
    return folder
