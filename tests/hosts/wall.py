"""A wall of two hosts, and somebody who listens on the cable between them: finds neither the run's secret nor what the
program prints or is given, nor the keys that a program of X11 reads. hosts.sh runs this on the first host in the place
of mpiexec, whose words it leaves alone.
wall.py launch MPIGLUTRUN PROBE ENTER MPIEXEC, or wall.py x11 MPIGLUTRUN X11_PROGRAMS ENTER MPIEXEC"""
import json
import os
import re
import socket
import struct
import subprocess
import sys
import threading

part, launcher, programs, enter, mpiexec = sys.argv[1:6]
version = subprocess.run([mpiexec, "--version"], capture_output=True, text=True).stdout
flavour = "openmpi" if "Open MPI" in version or "OpenRTE" in version else "mpich"
HOSTS = "10.77.0.1,10.77.0.2"
FOR_MPIEXEC = {"mpich": f"-localhost 10.77.0.1 -launcher ssh -launcher-exec {enter}",
               "openmpi": f"--mca plm_rsh_agent {enter} --mca oob_tcp_if_include 10.77.0.0/24"}
# Messages of MPI, too, go over the cable.
FOR_MPI = {"mpich": " -genv UCX_TLS tcp,self -genv UCX_NET_DEVICES cable",
           "openmpi": " --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24"}
# Of each rank: what it was given, and what the environment of its agent began with.
PROGRAM = "read line; echo printed-$line; env | grep -c ^OMPI_MCA_orte_.*tmpdir_base= | sed 's/^/tmpdir-/'; tr '\\0' '\\n' </proc/$PPID/environ | grep ^MPIGLUT_SECRET=; exit 0"


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


def run_x11(hosts, options, program):
    """Lines of each tile, and what the launcher said."""
    environment = dict(os.environ, LP_NUM_THREADS="0",
                       MPIGLUT_MPIEXEC_ARGS=FOR_MPIEXEC[flavour] + FOR_MPI[flavour])
    run = subprocess.run([launcher, "--headless", "--system", "x11", "--hosts", hosts, "--mpiexec", mpiexec,
                          "--output", "all", *options, "--", *program],
                         env=environment, capture_output=True, text=True, timeout=100)
    print(run.stdout + run.stderr)
    lines = {tile: [line[6:] for line in run.stdout.split("\n") if line.startswith(tile)]
             for tile in ("(0,0)", "(1,0)")}
    return run, lines


def key_press(x, y):
    """The event, as the X server of the wall sends it for a window at 20, 10."""
    return re.compile(rb"\x02.{19}" + re.escape(struct.pack("<HHHH", x + 20, y + 10, x, y)), re.S)


def check_keys(cable):
    replay = os.path.join(os.environ["TMPDIR"], "keys.jsonl")
    keys = [(0, 30, 40, "a"), (1, 220, 41, "b"), (1, 221, 42, "\x1b")]
    with open(replay, "w") as events:
        head = {"mpiglut": "input", "version": 1, "columns": 2, "rows": 1, "width": 400, "height": 150}
        print(json.dumps(head), file=events)
        for number, (rank, x, y, key) in enumerate(keys):
            for kind in ("key", "key_up"):
                event = {"frame": 3 + number, "after": 0, "kind": kind, "window": 1, "rank": rank, "x": x, "y": y, "z": 0,
                         "a": ord(key), "b": 0, "modifiers": 0}
                print(json.dumps(event), file=events)
    run, lines = run_x11(HOSTS, ["--wall", "2x1@200x150", "--clock", "wall", "--replay", replay],
                         [os.path.join(programs, "glx_input")])
    require(run.returncode == 0, f"exit status {run.returncode}")
    told = ["key a at 30 40", "key b at 220 41", "key Escape at 221 42", "done"]
    for tile in lines:
        require(lines[tile] == told, f"tile {tile} tells {lines[tile]}")
    heard = cable.heard()
    require(b"hostb :" in heard, "the listener hears what MPI sends")
    for rank, x, y, key in keys:
        require(not key_press(x, y).search(heard), f"the key {key!r} is on the cable")


def check_picture():
    """The wall of two hosts shows what that of one host shows."""
    pictures = []
    for hosts in (HOSTS, "10.77.0.1:2"):
        file = os.path.join(os.environ["TMPDIR"], f"picture-{len(pictures)}.png")
        run, _ = run_x11(hosts, ["--wall", "2x1", "--clock", "step:60", "--capture", file],
                         [os.path.join(programs, "glx_linked")])
        require(run.returncode == 0 and "divergence" not in run.stderr, f"exit status {run.returncode}")
        with open(file, "rb") as picture:
            pictures.append(picture.read())
    require(pictures[0] == pictures[1], "the two pictures are equal")


def check_forgery():
    """A rank that has another key is one whose messages somebody has changed."""
    own = "env -u LD_PRELOAD"  # what the library shows of this host is rank 0's
    spoil = (f'[ $({own} hostname) = hosta ] || '
             fr'{own} sed -i -E "s/(\"message_key\":\")(.{{16}})(.{{16}})/\1\3\2/" $MPIGLUT_RUN; exec "$0"')
    run, _ = run_x11(HOSTS, ["--wall", "2x1@200x150"],
                     ["/bin/sh", "-c", spoil, os.path.join(programs, "glx_input")])
    require(run.returncode != 0, "the run ends")
    require(re.search(r"a message from rank [01] on host[ab] has been changed", run.stderr), "the line names the host")


def check_launch(cable):
    environment = dict(os.environ, MPIGLUT_LIB=programs, MPIGLUT_PROBE="note started",
                       MPIGLUT_MPIEXEC_ARGS=FOR_MPIEXEC[flavour])
    run = subprocess.run([launcher, "--headless", "--wall", "2x1", "--hosts", HOSTS, "--mpiexec", mpiexec, "--output", "all", "--", "/bin/sh",
                          "-c", PROGRAM], env=environment, input="canary\n", capture_output=True, text=True, timeout=100)
    print(run.stdout + run.stderr)
    require(run.returncode == 0, f"exit status {run.returncode}")
    lines = sorted(run.stdout.split("\n"))
    require(lines.count("(0,0) printed-canary") == 1 and lines.count("(1,0) printed-canary") == 1, "both ranks run")
    require(not re.search("tmpdir-[^01]", run.stdout), "Open MPI takes one word for its folder, and ends over two")
    heard = cable.heard()
    require(b"MPIGLUT_CONTROL=" in heard, "the listener hears what mpiexec sends")
    for word in ("printed-", "canary"):
        require(word.encode() not in heard, f"'{word}' is on the cable")
    secrets = re.findall(r"^(\S+) MPIGLUT_SECRET=(\S*)$", run.stdout, re.M)
    require(len(secrets) == 1 and secrets[0][0] == "(1,0)" and len(secrets[0][1]) == 32,
            f"secrets brought by ssh: {secrets}, expected one of 32 digits on the second host")
    require(secrets[0][1].encode() not in heard, "the secret is on the cable")


if part == "launch":
    check_launch(Cable("cable"))
else:
    check_keys(Cable("cable"))
    check_picture()
    check_forgery()
