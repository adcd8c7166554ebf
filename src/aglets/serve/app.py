"""The web application: a page, and a JSON API for programs.

Work is done by a few threads; when too many questions wait, or an answer takes too long, the reply
is a sentence with status 503. Nothing is kept between requests.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from importlib.resources import files
from typing import Any, TypeVar

from aglets._version import __version__
from aglets.graphs.optional import optional
from aglets.model import LagraModel
from aglets.serve.answers import describe, explained, predicted_table
from aglets.serve.body import take_body
from aglets.serve.limits import Limits, RefusedError

__all__ = ["make_app"]

Kind = TypeVar("Kind")

#: Files of the page: name -> (media type, whether it is packed).
FILES = {
    "page.js": ("text/javascript", False),
    "page.css": ("text/css", False),
    "api.js": ("text/javascript", False),
    "openchemlib.js": ("text/javascript", True),
}
#: Nothing from elsewhere is loaded, and no other page may frame this one.
SAFE = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; font-src data:; frame-ancestors 'none'; "
        "base-uri 'none'; form-action 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
QUESTION = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "smiles": {"type": "string", "description": "A molecule."},
                        "graph": {"type": "object", "description": "A graph as node-link JSON."},
                    },
                },
                "example": {"smiles": "CC(=O)O"},
            }
        },
    }
}
TABLE = {
    "requestBody": {
        "required": True,
        "content": {"text/csv": {"schema": {"type": "string"}, "example": "smiles\nCCO\n"}},
    }
}


def make_app(
    model: LagraModel, *, name: str = "model", limits: Limits | None = None, hosts: Any = None
) -> Any:
    """Make the application for one model.

    Parameters
    ----------
    model : LagraModel
    name : str
        What the page calls the model.
    limits : Limits, optional
    hosts : sequence of str, optional
        Names under which the server may be addressed; all unless given. A server on this machine
        alone should answer to no other name, so that pages from elsewhere cannot ask it.

    Returns
    -------
    fastapi.FastAPI
    """
    optional("fastapi", "serving a model")
    from fastapi import FastAPI, Request
    from fastapi.responses import JSONResponse, StreamingResponse
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    bounds = Limits() if limits is None else limits
    workers = _Workers(bounds)
    app = FastAPI(title=f"aglets: {name}", version=__version__, docs_url=None, redoc_url=None)
    if hosts is not None:
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))

    def takes_request(function: Kind) -> Kind:
        """Say what a request is by its class: its name means nothing outside of this function."""
        function.__annotations__["request"] = Request
        return function

    @app.exception_handler(RefusedError)
    async def refused(request: Request, error: RefusedError) -> JSONResponse:
        return JSONResponse({"error": str(error)}, status_code=error.status, headers=SAFE)

    @app.get("/", include_in_schema=False)
    async def page() -> Any:
        return _file("page.html", "text/html", packed=False)

    @app.get("/docs", include_in_schema=False)
    async def api_page() -> Any:
        return _file("api.html", "text/html", packed=False)

    @app.get("/files/{file}", include_in_schema=False)
    async def static(file: str) -> Any:
        if file not in FILES:
            raise RefusedError(404, "There is no such file.")
        kind, packed = FILES[file]
        return _file(file, kind, packed)

    @app.get("/api/model", summary="What the model is: targets, graphlets, weights")
    async def model_page() -> Any:
        return {"name": name, "version": __version__, **await workers.run(describe, model)}

    @app.post(
        "/api/explain", summary="Predict one molecule or graph, and say why", openapi_extra=QUESTION
    )
    @takes_request
    async def explain(request: Request) -> Any:
        question = await _question(request.stream(), bounds)
        smiles, graph = question.get("smiles"), question.get("graph")
        if smiles is not None and not isinstance(smiles, str):
            raise RefusedError(422, "Expected 'smiles' to be text.")
        answers = await workers.run(explained, model, smiles, graph, bounds)
        return {"explanations": answers}

    @app.post(
        "/api/predict",
        summary="Predict a CSV table with a column of SMILES; the answer is a CSV table",
        openapi_extra=TABLE,
    )
    @takes_request
    async def predict(request: Request, smiles: str = "smiles") -> Any:
        with ExitStack() as cleaning:
            folder = cleaning.enter_context(tempfile.TemporaryDirectory())
            table = os.path.join(folder, "table.csv")
            descriptor = os.open(table, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                await take_body(
                    request.stream(),
                    bounds.max_table_bytes,
                    lambda piece: os.write(descriptor, piece),
                )
            finally:
                os.close(descriptor)
            pieces = await workers.run(predicted_table, model, table, smiles, bounds)
            kept = cleaning.pop_all()  # the folder is needed until the last piece
        return StreamingResponse(
            workers.each(pieces, kept),
            media_type="text/csv",
            headers={**SAFE, "Content-Disposition": 'attachment; filename="predictions.csv"'},
        )

    return app


class _Workers:
    """A few threads, a bounded number of questions, and a time limit for each answer."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.threads, thread_name_prefix="aglets-serve")
        self._waiting = 0

    async def run(self, function: Callable[..., Kind], *arguments: Any) -> Kind:
        """Call a function in a thread."""
        if self._waiting >= self._limits.max_waiting:
            raise RefusedError(503, "Too many questions at a time; ask again in a moment.")
        loop = asyncio.get_running_loop()
        self._waiting += 1
        future = loop.run_in_executor(self._pool, function, *arguments)
        # A thread cannot be stopped: it counts as waiting until it ends, even if nobody listens.
        future.add_done_callback(self._ended)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self._limits.max_seconds)
        except asyncio.TimeoutError:
            raise RefusedError(
                503,
                f"There was no answer within {self._limits.max_seconds:g} seconds; "
                "try a smaller graph.",
            ) from None

    async def each(self, pieces: Iterator[str], kept: ExitStack) -> AsyncIterator[str]:
        """Make the pieces of an answer one by one, and then let go of what was kept for them."""
        with kept:
            while (piece := await self.run(next, pieces, None)) is not None:
                yield piece

    def _ended(self, future: asyncio.Future[Any]) -> None:
        self._waiting -= 1
        if not future.cancelled():
            future.exception()  # seen, whether or not somebody still waits for it


async def _question(pieces: AsyncIterator[bytes], limits: Limits) -> dict[str, Any]:
    body = bytearray()
    await take_body(pieces, limits.max_bytes, body.extend)
    try:
        question = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RefusedError(422, f"Expected JSON. Got something else: {error}.") from error
    if not isinstance(question, dict):
        raise RefusedError(422, "Expected a JSON object with 'smiles' or 'graph'.")
    return question


def _file(name: str, kind: str, packed: bool) -> Any:
    from fastapi.responses import Response

    place = files("aglets.serve").joinpath("page").joinpath(f"{name}.gz" if packed else name)
    headers = {**SAFE, "Content-Encoding": "gzip"} if packed else SAFE
    return Response(place.read_bytes(), media_type=kind, headers=headers)
