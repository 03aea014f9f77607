"""`/api/v1/openapi.json`: OpenAPI 3.1 of every route, the bodies as the requests themselves are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .. import __version__
from ..messages import context, forgetting, items, service, turns
from ..messages.fields import MAX_SHORT
from ..messages.schema import Read, Schema, schema_of
from ..records import KINDS, ROLES
from .access import COOKIE
from .replies import STATUS

TEXT: Schema = {"type": "string"}
TIME: Schema = {"type": "string", "format": "date-time"}
COUNT: Schema = {"type": "integer", "minimum": 0}
ANY: Schema = {"type": "object"}
ITEM: Schema = {"$ref": "#/components/schemas/Item"}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties}


@dataclass(frozen=True, slots=True)
class Operation:
    """What a topic does, how its request is read (None: it has no keys), and its answer."""

    summary: str
    read: Read | None
    answer: Schema


ITEMS = _object(items=_list(ITEM))
OPERATIONS = {
    context.TOPIC: Operation(
        "What is worth knowing for an utterance",
        context.ContextRequest.from_data,
        _object(
            messages=_list(ANY),
            hits=_list(ANY),
            facts=_list(ITEM),
            summary={"type": ["string", "null"]},
            backends=ANY,
            partial={"type": "boolean"},
            took={"type": "number"},
        ),
    ),
    turns.UPDATE: Operation("Store turns", turns.UpdateRequest.from_data, _object(ids=_list(TEXT))),
    turns.HISTORY: Operation("A session's history", turns.HistoryRequest.from_data, _object(messages=_list(ANY))),
    items.PREFIX + "add": Operation("Store an item", items.AddRequest.from_data, _object(item=ITEM)),
    items.PREFIX + "remember": Operation(
        "Store a conversation turn by hand", items.AddRequest.remember_from_data, _object(item=ITEM)
    ),
    items.PREFIX + "get": Operation("One item", items.IdRequest.from_data, _object(item=ITEM)),
    items.PREFIX + "list": Operation(
        "A page of items", items.ListRequest.from_data, _object(items=_list(ITEM), total=COUNT)
    ),
    items.PREFIX + "search": Operation("Items by words and meaning", items.SearchRequest.from_data, ITEMS),
    items.PREFIX + "similar": Operation("Items near a text or a vector", items.SimilarRequest.from_data, ITEMS),
    items.PREFIX + "update": Operation("Change an item", items.ChangeRequest.from_data, _object(item=ITEM)),
    items.PREFIX + "delete": Operation(
        "Forget an item", items.IdRequest.from_data, _object(deleted={"type": "boolean"})
    ),
    items.PREFIX + "embed": Operation(
        "Embed an item now", items.IdRequest.from_data, _object(success={"type": "boolean"}, message=TEXT)
    ),
    items.PREFIX + "clear": Operation(
        "Forget all items that match", items.ClearRequest.from_data, _object(deleted=COUNT)
    ),
    forgetting.FORGET: Operation(
        "Forget, or with dry_run tell what would go",
        forgetting.ForgetRequest.from_data,
        _object(deleted=COUNT, ids=_list(TEXT), named=COUNT, items=_list(ITEM)),
    ),
    forgetting.PAUSE: Operation(
        "Store nothing of a session for a while",
        forgetting.PauseRequest.from_data,
        _object(paused={"type": "boolean"}, until={"type": ["string", "null"], "format": "date-time"}),
    ),
    forgetting.RESUME: Operation("End a pause", None, _object(paused={"type": "boolean"})),
    service.STATUS: Operation("How the service is", None, ANY),
    service.BACKENDS: Operation("Which backends there are", None, _object(backends=_list(ANY))),
    service.EXPLAIN: Operation("What a recall did", service.ExplainRequest.from_data, ANY),
}
SHARED: dict[str, Schema] = {
    "owner": {"type": "string", "maxLength": MAX_SHORT, "pattern": "^(user|session):.+", "default": "session:default"},
    "session": {"type": "string", "maxLength": MAX_SHORT, "default": "default"},
    "request_id": {"type": "string", "maxLength": MAX_SHORT},
}
"""Keys of every body: whose memory is meant, and what the answer repeats."""
OWNER_QUERY = {"name": "owner", "in": "query", "schema": TEXT}
LIMIT_QUERY = {"name": "limit", "in": "query", "schema": {**COUNT, "maximum": 1000, "default": 20}}
OWNER = _object(owner=TEXT, items=COUNT, newest=TIME, sessions=_list(TEXT), paused=_list(TEXT))


def document(paths: dict[str, str]) -> dict[str, Any]:
    """The whole document; `paths` are those of the topics."""
    described = {paths[topic]: {"post": _operation(topic, OPERATIONS[topic])} for topic in paths}
    return {
        "openapi": "3.1.0",
        "info": {"title": "ovos-memory-bus", "version": __version__, "summary": "The memory of an OVOS assistant"},
        "security": [{"token": []}, {"cookie": []}],
        "paths": {**described, **_other_paths()},
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": COOKIE},
            },
            "schemas": {"Item": _item(), "Error": _error()},
        },
    }


def _operation(topic: str, operation: Operation) -> dict[str, Any]:
    body: Schema = schema_of(operation.read) if operation.read else {"type": "object", "properties": {}}
    body["properties"] = {**body["properties"], **SHARED}
    return {
        "operationId": topic,
        "summary": operation.summary,
        "requestBody": {"content": _json(body), "required": "required" in body},
        "responses": _responses(operation.answer),
    }


def _other_paths() -> dict[str, Any]:
    """What is no topic."""
    login = {"description": "A cookie is set"}, {"description": "It is taken back"}
    recalls = _object(recalls=_list(ANY))
    return {
        "/api/v1/session": {
            "post": {
                "summary": "The token for a cookie",
                "security": [],
                "requestBody": {"content": _json({**_object(token=TEXT), "required": ["token"]}), "required": True},
                "responses": {"204": login[0], "default": _failed()},
            },
            "delete": {"summary": "End it", "responses": {"204": login[1], "default": _failed()}},
        },
        "/api/v1/owners": _get("Whose memories there are", _json(_object(owners=_list(OWNER)))),
        "/api/v1/disk": _get("How much room the memory takes", _json(_object(used=COUNT, free=COUNT))),
        "/api/v1/recalls": _get("The newest recalls", _json(recalls), LIMIT_QUERY, OWNER_QUERY),
        "/api/v1/recalls/live": _get("Recalls as they happen", {"text/event-stream": {"schema": TEXT}}),
        "/api/v1/export": _get("All of one owner", {"application/x-ndjson": {"schema": TEXT}}, OWNER_QUERY),
        "/api/v1/openapi.json": _get("This document", _json(ANY)),
        "/health": _get("Whether the service is there", _json(_object(status=TEXT, ready={"type": "boolean"}))),
        "/metrics": _get("Figures for Prometheus", {"text/plain": {"schema": TEXT}}),
    }


def _get(summary: str, content: dict[str, Any], *parameters: dict[str, Any]) -> dict[str, Any]:
    ok = {"description": "Done", "content": content}
    got: dict[str, Any] = {"summary": summary, "responses": {"200": ok, "default": _failed()}}
    if parameters:
        got["parameters"] = list(parameters)
    return {"get": got}


def _responses(answer: Schema) -> dict[str, Any]:
    return {"200": {"description": "Done", "content": _json(answer)}, "default": _failed()}


def _failed() -> dict[str, Any]:
    return {"description": "Refused or failed", "content": _json({"$ref": "#/components/schemas/Error"})}


def _json(schema: Schema) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _item() -> Schema:
    labels = {name: {"type": ["string", "null"]} for name in ("lang", "name", "agent_id", "graph_id", "task_id")}
    return _object(
        id={"type": "string", "format": "uuid"},
        session_id=TEXT,
        kind=_choice(KINDS),
        role=_choice(ROLES),
        content=TEXT,
        metadata=ANY,
        created_at=TIME,
        updated_at=TIME,
        embedding=_list({"type": "number"}),
        score={"type": "number"},
        similarity={"type": "number"},
        **labels,
    )


def _error() -> Schema:
    code = {"type": "string", "examples": sorted(STATUS)}
    return _object(error={**_object(code=code, message=TEXT, field=TEXT), "required": ["code", "message"]})


def _choice(options: Iterable[str]) -> Schema:
    return {"type": "string", "enum": list(options)}
