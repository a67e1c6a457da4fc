"""Errors of predicted ratings, each predicted with the person's own model."""

import numpy as np

from sottovoce.kernels import driver, prange
from sottovoce.metrics.mae import absolute_error
from sottovoce.metrics.rmse import squared_error
from sottovoce.models.interface import predict
from sottovoce.state import opened_at


@driver
def errors(model, tables, people, slot_of, indptr, item, value, squared, absolute):
    """Write (prediction − rating)² to `squared`, and |prediction − rating| to `absolute`: [ratings].

    Person p holds out the rating `value[n]` of `item[n]` for n from `indptr[p]` to `indptr[p + 1] − 1`.
    """
    for index in prange(len(slot_of)):
        person = np.int64(index)
        begin, end = indptr[person], indptr[person + 1]
        if begin == end:
            continue
        own = opened_at(tables, slot_of[person], item[begin:end])
        for n in range(begin, end):
            predicted = predict(model, own, 0, people, person, item[n])
            squared[n] = squared_error(predicted, value[n])
            absolute[n] = absolute_error(predicted, value[n])
