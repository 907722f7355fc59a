"""A client of the gym of Remedium, for openenv-core and TRL."""

from .client import GymResult, RemediumEnv
from .models import RemediumAction, RemediumObservation, RemediumState
from .tools import RemediumTools

__all__ = [
    "GymResult",
    "RemediumAction",
    "RemediumEnv",
    "RemediumObservation",
    "RemediumState",
    "RemediumTools",
]
