"""Homomorphic sums (MF-HEAvg): the server adds what it cannot read, participants decrypt the sum.

Section 4.3 and Appendix C of Perifanis and Efraimidis 2022. `participant` and `server` are the protocol,
`paillier_scheme` and `ckks` the two ways to encrypt, `plan` what is encrypted, `table7` what it costs.

What C.2 claims, and what holds (`tests/exchange/homomorphic/test_attacks.py` shows each):

- "MF-HEAvg does not leak any information to the coordination server … provided that the SK does not get
  leaked." This holds for the contents. The server still sees who took part, when, and how long messages
  are, which does not depend on anybody's data. It needs fresh randomness in every ciphertext: without it the
  server finds a person's items by encrypting guesses.
- "Provided that the SK does not get leaked" carries all the weight. Every participant holds the same secret
  key for ever. One participant that hands it to the server, or a server that enrols as a participant, reads
  every contribution of everybody, past ones included. One dishonest participant among thousands is enough;
  masked sums (MF-SecAvg) need as many as the threshold.
- "The participants … are only aware of the sum updates." This holds for a participant that only follows the
  protocol. One that listens on another's line, or gets ciphertexts from the server, can decrypt them.
- "MF-HEAvg eliminates the limitation of selecting the same group of participants except one user." This
  holds against the server alone, which sees no sums. Participants do: one that is in two rounds, and knows
  that the groups before them differ by one person, computes that person's change. So does any participant
  after a round with one contributor to a row.
- "Ensures the k-anonymity of the participants." This holds no more than for MF-SecAvg: a row with n_I = 1 is
  one person's change, visible to all next participants; only the name is missing.
- C.1 sends the secret key over connections between participants. Carried by the server it is as safe as the
  roster of public keys: a server that puts in a key of its own reads the secret key (`spread`).
- Nothing here protects against a server or participant that does not follow the protocol: ciphertexts can be
  left out, added twice, or made up. What leaves the agreed range is refused; what stays within it is summed.
"""
