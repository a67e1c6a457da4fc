"""A node in a process of its own: knows its person's data alone, talks over a loopback socket.

Called by test_two_processes.py as `python -m tests.network.lone_node MODEL ME PORT ROUNDS OUT`.
"""

import socket
import sys

from sottovoce.network.transport import receive_frame, send_frame
from sottovoce.node import Key, Node
from tests.network.test_two_processes import SEED, history, shared


def main(name, me, port, rounds, out):
    community = shared(name)
    node = Node(community, history(me), Key.simulated(SEED, me))
    # Compiled before the second node is started, which then finds it so, and nobody waits at the socket.
    rehearsal = Node(community, history(me), Key.simulated(SEED, me))
    rehearsal.absorb(Node(community, history(me), Key.simulated(SEED, 2)).emit())
    with connect(me, port) as sock:
        for _ in range(rounds):
            message = node.emit()
            if me == 0:
                send_frame(sock, message)
            incoming = receive_frame(sock, community.largest_message)
            if me == 1:
                send_frame(sock, message)
            node.absorb(incoming)
    node.save(out)


def connect(me, port):
    if me == 0:
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(300)
            print(server.getsockname()[1], flush=True)
            sock, _ = server.accept()
    else:
        sock = socket.create_connection(("127.0.0.1", port), timeout=300)
    sock.settimeout(300)
    return sock


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
