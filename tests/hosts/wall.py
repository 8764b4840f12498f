"""A wall of two hosts, and somebody who listens on the cable between them: finds neither the run's secret nor what the
program prints or is given. hosts.sh runs this on the first host in the place of mpiexec, whose words it leaves alone.
wall.py MPIGLUTRUN PROBE ENTER MPIEXEC"""
import os
import re
import socket
import struct
import subprocess
import sys
import threading

launcher, probe, enter, mpiexec = sys.argv[1:5]
HOSTS = "10.77.0.1,10.77.0.2"
FOR_MPIEXEC = {"mpich": f"-localhost 10.77.0.1 -launcher ssh -launcher-exec {enter}",
               "openmpi": f"--mca plm_rsh_agent {enter} --mca oob_tcp_if_include 10.77.0.0/24"}
# Of each rank: what it was given, and what the environment of its agent began with.
PROGRAM = "read line; echo printed-$line; tr '\\0' '\\n' </proc/$PPID/environ | grep ^MPIGLUT_SECRET=; exit 0"


class Cable:
    """The bytes of each direction of each TCP connection, in their order."""

    def __init__(self, name):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 20)
        self.socket.bind((name, 0))
        self.flows = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            packet = self.socket.recv(1 << 17)
            if packet[12:14] != b"\x08\x00" or packet[23] != 6:
                continue
            segment = packet[14 + (packet[14] & 15) * 4:14 + struct.unpack(">H", packet[16:18])[0]]
            ports, sequence = segment[:4], struct.unpack(">I", segment[4:8])[0]
            payload = segment[(segment[12] >> 4) * 4:]
            if payload:
                self.flows.setdefault((packet[26:34], ports), {})[sequence] = payload

    def heard(self):
        return b"\n".join(b"".join(part for _, part in sorted(flow.items())) for flow in self.flows.values())


def require(holds, what):
    if not holds:
        print(f"FAILED: {what}")
        sys.exit(1)


def main():
    cable = Cable("cable")
    environment = dict(os.environ, MPIGLUT_LIB=probe, MPIGLUT_PROBE="note started",
                       MPIGLUT_MPIEXEC_ARGS=FOR_MPIEXEC["openmpi" if "openmpi" in mpiexec else "mpich"])
    run = subprocess.run([launcher, "--headless", "--wall", "2x1", "--hosts", HOSTS, "--mpiexec", mpiexec, "--output", "all", "--", "/bin/sh",
                          "-c", PROGRAM], env=environment, input="canary\n", capture_output=True, text=True, timeout=100)
    print(run.stdout + run.stderr)
    require(run.returncode == 0, f"exit status {run.returncode}")
    lines = sorted(run.stdout.split("\n"))
    require(lines.count("(0,0) printed-canary") == 1 and lines.count("(1,0) printed-canary") == 1, "both ranks run")
    heard = cable.heard()
    require(b"MPIGLUT_CONTROL=" in heard, "the listener hears what mpiexec sends")
    for word in ("printed-", "canary"):
        require(word.encode() not in heard, f"'{word}' is on the cable")
    secrets = re.findall(r"^(\S+) MPIGLUT_SECRET=(\S*)$", run.stdout, re.M)
    require(len(secrets) == 1 and secrets[0][0] == "(1,0)" and len(secrets[0][1]) == 32,
            f"secrets brought by ssh: {secrets}, expected one of 32 digits on the second host")
    require(secrets[0][1].encode() not in heard, "the secret is on the cable")


main()
