"""What pydantic found wrong in a file, as a sentence with the place, the key and a remedy."""

from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from sottovoce.allowed import MISSING, dotted, refused
from sottovoce.errors import RecipeError
from sottovoce.registry import nearest


def refusal(root: type[BaseModel], error: ValidationError, where: str, what: str) -> RecipeError:
    """The first mistake found; `what` the file is, such as "recipe". An unknown key comes first."""
    found = error.errors()
    first = min(found, key=lambda one: one["type"] != "extra_forbidden")
    if first["type"] == "extra_forbidden":
        key, model = dotted(first["loc"]), _inside(root, first["loc"][:-1])
        kind = "section" if model is root and what == "recipe" else "key"
        remedy = nearest(str(first["loc"][-1]), list(model.model_fields))
        return RecipeError(f"{where}: {key} is not a {kind} of a {what}.", remedy)
    place, said = refused(found)
    key = dotted(place)
    remedy = f"Add {key} to the file." if said == MISSING else ""
    return RecipeError(f"{where}: {key} {said}", remedy)


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
