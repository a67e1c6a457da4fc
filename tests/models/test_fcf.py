"""FCF: against equations in NumPy, in a federation and centrally, and what the variant of FPL sends."""

import numpy as np
import pytest

from sottovoce.combine.aggregate.simple import Simple
from sottovoce.errors import RecipeError
from sottovoce.models.fcf import FCF, FCFConsumed
from sottovoce.peers.uniform import Uniform
from sottovoce.protocols.central import Central
from sottovoce.protocols.federated import Federated
from sottovoce.simulate.engine import Simulation
from tests.networks import ratings
