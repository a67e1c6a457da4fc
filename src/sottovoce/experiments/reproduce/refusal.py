"""What pydantic found wrong in a nested file, as a sentence with place, key and remedy."""

from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from sottovoce.errors import RecipeError
from sottovoce.registry import nearest


def sentence(root: type[BaseModel], error: ValidationError, where: str) -> RecipeError:
    """The first thing found; an unknown key is answered with the nearest one."""
    first = min(error.errors(), key=lambda found: found["type"] != "extra_forbidden")
    key = ".".join(str(part + 1) if isinstance(part, int) else part for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = list(_inside(root, first["loc"][:-1]).model_fields)
        remedy = nearest(str(first["loc"][-1]), known)
        return RecipeError(f"{where}: {key} is not a key of a reproduction.", remedy)
    if first["type"] == "missing":
        return RecipeError(f"{where}: {key} is missing.", "Add it.")
    return RecipeError(f"{where}: {key} = {first['input']!r} cannot be used: {first['msg']}.")


def _inside(root: type[BaseModel], place: tuple[int | str, ...]) -> type[BaseModel]:
    """The class of the table at a place; numbers in lists and alternatives of a union lead no deeper."""
    model = root
    for part in place:
        if part in model.model_fields:
            model = _model(model.model_fields[str(part)].annotation) or model
    return model


def _model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model, get_args(annotation))), None)
