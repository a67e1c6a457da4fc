"""Secure sums: a server learns the sum of many people's vectors, and no vector.

Bonawitz et al., "Practical secure aggregation for privacy-preserving machine learning", CCS 2017, in the
variant that holds against an active server, on a complete graph; and MF-SecAvg on top of it (Perifanis and
Efraimidis, "Federated neural collaborative filtering", 2022, Section 5). Client and server are state
machines without input and output: bytes in, bytes and events out. Simulator, sockets and tests run the
same code.

| phase       | a client                            | state after    | the server                           |
|-------------|-------------------------------------|----------------|--------------------------------------|
| advertise   | sends KEYS, signed                  | ADVERTISED     | sends ROSTER: U1, who sent keys      |
| share       | sends SHARES, encrypted in pairs    | SHARED         | sends INBOX: U2, who sent shares     |
|             | reads the inbox                     | READY          |                                      |
| mask        | sends MASKED                        | MASKED         | sends SURVIVORS: U3, who is in it    |
| consistency | signs U3, sends CONSISTENCY         | SIGNED         | sends CONFIRMATIONS: U4, who signed  |
| unmask      | sends UNMASKING: for each of U2 one | READY, or DONE | joins shares of U5, who answered,    |
|             | share, of the seed if it is in U3,  |                | checks them, and has the sum: an     |
|             | of the mask key if not              |                | event `Summed`                       |

A session can have several sums: after the first it goes on at *mask*, and the survivors of one sum are the
partners of the next. At each phase all but the threshold may drop out; `Server.timeout()` ends a phase.

| module         | what                                                                                     |
|----------------|------------------------------------------------------------------------------------------|
| `fixed_point`  | floats as integers modulo 2^b, with a checked bound for their sum                        |
| `shamir`       | t-of-n shares of 32-byte secrets                                                         |
| `masks`        | pseudorandom vectors that cancel in the sum                                              |
| `primitives`   | X25519, HKDF, AES-CTR, ChaCha20-Poly1305, Ed25519                                        |
| `group`        | who takes part, and the threshold                                                        |
| `keys`         | what a client draws for a session, and what it publishes                                 |
| `envelope`     | header and signature of a message                                                        |
| `messages`     | bodies of messages                                                                       |
| `client`       | a participant                                                                            |
| `server`       | the server                                                                               |
| `contribution` | one person's part in a round of MF-SecAvg, as integers; sums of these without masks      |
| `two_sums`     | MF-SecAvg: counts first, then rows of enough people; with a server, or a member who adds |
| `row_steps`    | what a member of a group of `consensus` adds, as integers in steps for each row          |
| `ranges`       | the ranges of these numbers                                                              |
| `guards`       | which groups a client refuses                                                            |
| `draw`         | how people draw a group themselves                                                       |

What a message shows to somebody who listens is what the server sees. A transport that encrypts hides also
that. Keys are drawn for one session and forgotten; Python does not wipe memory.
"""
