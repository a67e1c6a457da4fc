"""What pydantic found wrong in a file, as a sentence with the place, the key and a remedy."""

from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from sottovoce.errors import RecipeError
from sottovoce.registry import nearest


def refusal(root: type[BaseModel], error: ValidationError, where: str, what: str) -> RecipeError:
    """The first mistake found; `what` the file is, such as "recipe". An unknown key comes first."""
    first = min(error.errors(), key=lambda found: found["type"] != "extra_forbidden")
    key = ".".join(str(part + 1) if isinstance(part, int) else part for part in first["loc"])
    if first["type"] == "extra_forbidden":
        model = _inside(root, first["loc"][:-1])
        kind = "section" if model is root and what == "recipe" else "key"
        remedy = nearest(str(first["loc"][-1]), list(model.model_fields))
        return RecipeError(f"{where}: {key} is not a {kind} of a {what}.", remedy)
    if first["type"] == "missing":
        return RecipeError(f"{where}: {key} is missing.", f"Add {key} to the file.")
    return RecipeError(f"{where}: {key} = {first['input']!r} cannot be used: {first['msg']}.")


def _inside(root: type[BaseModel], place: tuple[int | str, ...]) -> type[BaseModel]:
    """The class of the table at a place; positions in lists and choices of a union lead no deeper."""
    model = root
    for part in place:
        if part in model.model_fields:
            model = _model(model.model_fields[str(part)].annotation) or model
    return model


def _model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model, get_args(annotation))), None)
