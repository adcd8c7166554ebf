"""`aglets serve`: a page on this machine where one can try a model."""

from __future__ import annotations

from typing import Annotated

import typer

from aglets.cli.show import Model

EXAMPLES = ("aglets serve demo.aglets", "aglets serve demo.aglets --port 9000")

#: Names by which a server on this machine alone may be addressed.
LOCAL = ("127.0.0.1", "localhost", "[::1]", "::1")


def serve(
    model: Model,
    port: Annotated[
        int, typer.Option("--port", help="Port to listen on.", min=0, max=65535)
    ] = 8000,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on. Any other lets other machines in.")
    ] = "127.0.0.1",
    max_nodes: Annotated[
        int, typer.Option("--max-nodes", help="Maximum number of nodes of a graph.", min=1)
    ] = 1000,
    max_seconds: Annotated[
        float, typer.Option("--max-seconds", help="Maximum time for an answer.", min=0.1)
    ] = 20.0,
) -> None:
    """Open a local page where you type or draw a molecule and see its prediction explained.

    The page needs no network and is seen from this machine only, unless --host says otherwise. It
    has no accounts: do not open it to others without a server in front that has them. Ctrl-C ends
    it. Programs use the JSON API described at /docs.
    """
    from aglets.graphs.optional import optional
    from aglets.model.file import load
    from aglets.serve import Limits, make_app

    uvicorn = optional("uvicorn", "serving a model")
    loaded = load(model)
    limits = Limits(max_nodes=max_nodes, max_seconds=max_seconds)
    hosts = [*LOCAL, host] if host in LOCAL else None
    app = make_app(loaded, name=model.stem, limits=limits, hosts=hosts)
    typer.echo(f"Open http://{host}:{port} in a browser. Ctrl-C ends the server.", err=True)
    uvicorn.run(app, host=host, port=port, log_level="warning")
