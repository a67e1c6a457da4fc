"""A node in a process of its own: knows its person's data alone, talks over a loopback socket.

Called by test_two_processes.py as `python -m tests.network.lone_node MODEL ME PORT ROUNDS OUT`.
"""

import socket
import sys

import numpy as np

from sottovoce.combine.linear import Linear
from sottovoce.exchange import codec
from sottovoce.exchange.compression import Whole
from sottovoce.exchange.message import Expect, emit, received
from sottovoce.models import Context, resolve, shape
from sottovoce.network.transport import receive_frame, send_frame
from sottovoce.protocols import Plan, execute, start
from sottovoce.state import people, whole
from tests.network.test_two_processes import MODELS, SEED, community


def main(name, me, port, rounds, out):
    data = community()
    model = resolve(MODELS[name], Context(data.items, *data.scale, rounds, 1.0))
    sizes = shape(model)
    own = slice(data.indptr[me], data.indptr[me + 1])
    person = people(
        sizes.user,
        np.array([0, own.stop - own.start]),
        data.item[own],
        data.value[own],
        np.zeros(1, np.int32),
        1,
    )._replace(key=np.array([me]))
    tables = whole(1, data.items, sizes.row, sizes.head)
    tables.size[0] = own.stop - own.start
    start(model, tables, person, SEED, False)
    expect = Expect(data.items, sizes.row, sizes.head)
    none = np.empty(0, np.int32)
    one = np.array([0, 1])
    zeros = np.zeros(2, np.int64)
    here, there = np.zeros(1, np.int32), np.ones(1, np.int32)
    absorb = Plan(one, here, one, there, there, zeros, none, none, zeros[:0])
    # Before the second node is started, which then finds it compiled, and nobody waits at the socket.
    execute.compile(absorb, Linear(), model, Whole(), tables, tables, tables, person, SEED)
    with connect(me, port) as sock:
        for _ in range(rounds):
            message = codec.encode(emit(tables, 0))
            if me == 0:
                send_frame(sock, message)
            incoming = codec.decode(receive_frame(sock, codec.largest(expect)), expect)
            if me == 1:
                send_frame(sock, message)
            models = tables, received(incoming), tables
            execute(absorb, Linear(), model, Whole(), *models, person, SEED)
    np.savez(out, rows=tables.rows, age=tables.age, head=tables.head, clock=tables.clock, user=person.user)


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
