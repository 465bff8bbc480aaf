"""The door of a live view: which requests come in, and the server behind it.

viser lets everybody in. Here every request, of a page as of a websocket, is looked at before viser
sees it: at this machine's own address it must come from a page of that address (or any page on the
web could steer the view), and at any other address its path must begin with a token.
"""

from __future__ import annotations

import contextlib
import gzip
import http
import http.client
import ipaddress
import logging
import re
import secrets
import socket
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from visviva.errors import ArgumentError, BackendError
from visviva.extras import require
from visviva.show.page.assets import fingerprint

LOCAL, ANYWHERE = "127.0.0.1", ("0.0.0.0", "::")  # noqa: S104 - what people ask for, not bound
TOKEN_BYTES = 18
TOKEN = re.compile("[A-Za-z0-9_-]+")  # what stands in an address as it is
PATIENCE = 20.0  # s
PROTOCOL = "viser-v"  # by which viser's pages say of which version they are
SCRIPT = re.compile(r"""<script\b(?:[^>"']|"[^"]*"|'[^']*')*>(.*?)</script>""", re.DOTALL)
HOST = re.compile(r"[\w.-]+(:\d+)?|\[[0-9a-fA-F:.]+\](:\d+)?", re.ASCII)
_starting = threading.Lock()


@dataclass(frozen=True)
class Gate:
    """Who comes in: without a token only this machine's own pages."""

    token: str = ""

    def refusal(self, path: str, host: str, origin: str) -> str:
        """Why a request is refused; empty if it is not."""
        if origin and urlsplit(origin).netloc.lower() != host.lower():
            return "a page of another address"
        if self.token:
            first = path.partition("?")[0].strip("/").split("/")[0]
            if not secrets.compare_digest(first.encode(), self.token.encode()):
                return "no token"
        elif not is_local(urlsplit(f"//{host}").hostname or ""):
            return "another name of this machine"
        return ""

    def inside(self, path: str) -> str:
        """A path without the token."""
        return path.replace(f"/{self.token}", "", 1) or "/" if self.token else path


def is_local(host: str) -> bool:
    """Whether an address is this machine's own, which no other reaches."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """Not to be guessed."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def check_token(token: Any) -> None:
    """Refuse a token that browsers would write otherwise: nobody would come in with it."""
    if not isinstance(token, str) or not TOKEN.fullmatch(token):
        raise ArgumentError(
            "a token stands in the address, so it has letters A to Z and a to z, digits, - and _ "
            f"alone; got {token!r:.60}"
        )


def open_server(host: str, port: int, gate: Gate, label: str) -> Any:
    """A server of viser behind a gate; without one it does not start."""
    viser, sockets, http11 = require(
        "a live view", "viser", "websockets.asyncio.server", "websockets.http11"
    )
    check_port(host, port)
    serve = sockets.serve

    def guarded(handler: Any, *arguments: Any, process_request: Any = None, **options: Any) -> Any:
        async def of_this_version(connection: Any) -> None:
            client = (connection.subprotocol or PROTOCOL).removeprefix(PROTOCOL).strip()
            if client == viser.__version__:
                await handler(connection)
            else:  # viser would tell the terminal; its page tells who looks at it
                await connection.close(1002, mismatch(client, viser.__version__))

        def looked_at(connection: Any, request: Any) -> Any:
            head = request.headers
            why = gate.refusal(request.path, head.get("Host", ""), head.get("Origin", ""))
            if why:
                return _refused(http11, why)
            inside = replace(request, path=gate.inside(request.path))
            answer = process_request(connection, inside)
            if answer is not None:
                answer.headers["Content-Security-Policy"] = server_policy(
                    answer, head.get("Host", "")
                )
            return answer

        options |= {"process_request": looked_at, "logger": silent()}
        return serve(of_this_version, *arguments, **options)

    with (
        _starting,
        quiet(threading.current_thread()),
    ):  # viser looks up `serve` while it starts, and not later
        sockets.serve = guarded
        try:
            server = viser.ViserServer(host=host, port=port, label=label, verbose=False)
        finally:
            sockets.serve = serve
    try:
        if not _is_guarded(host, server.get_port()):
            raise BackendError(
                "this version of viser starts its server in a way that cannot be guarded: view "
                f"needs viser 1.1, got {viser.__version__}"
            )
    except BaseException as error:
        close_server(server)
        if isinstance(error, (OSError, http.client.HTTPException)):
            raise BackendError(
                f"the server at {host}:{server.get_port()} does not answer this machine: {error}"
            ) from error
        raise
    return server


def mismatch(client: str, server: str) -> str:
    """Why a page of another version is sent away; viser's page shows it."""
    return f"Version mismatch. Client: {client or 'unknown':.40}, Server: {server}"


def server_policy(answer: Any, host: str) -> str:
    """What the page may do: run its own scripts and what they unpack, and talk to this server.

    viser's page is one script that unpacks a module, which makes workers, and functions for
    WebAssembly from texts. What names and labels have in them never runs, nothing goes elsewhere.
    """
    body = bytes(answer.body or b"")
    is_gzip = answer.headers.get("Content-Encoding", "") == "gzip"
    text = (gzip.decompress(body) if is_gzip else body).decode("utf-8", "replace")
    scripts = " ".join(dict.fromkeys(map(fingerprint, SCRIPT.findall(text))))
    sockets = f" ws://{host} wss://{host}" if HOST.fullmatch(host) else ""
    return (
        f"default-src 'none'; script-src {scripts} 'strict-dynamic' 'unsafe-eval'; "
        f"worker-src blob:; connect-src 'self' data: blob:{sockets}; img-src 'self' data: blob:; "
        "style-src 'unsafe-inline'; font-src data:; base-uri 'none'; form-action 'none'"
    )


def close_server(server: Any) -> None:
    """Stop it; viser's own words about that are left out."""
    own = getattr(getattr(server, "_websock_server", None), "_server_thread", None)
    with quiet(own):
        server.stop()
        if own in threading.enumerate() and own is not threading.current_thread():
            own.join(PATIENCE)  # clients that answer slowly are waited for


def silent() -> logging.Logger:
    """For what strangers send: that is none of the user's business."""
    logger = logging.getLogger("a live view")
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    return logger


class _Others:
    """A stream that takes the words of all threads but one."""

    def __init__(self, stream: Any, silent: threading.Thread | None) -> None:
        self._stream, self._silent = stream, silent

    def write(self, text: str) -> int:
        """Write on, or nothing."""
        if threading.current_thread() is self._silent:
            return len(text)
        return int(self._stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def quiet(thread: threading.Thread | None) -> Iterator[None]:
    """Without what libraries print in a thread; others, as the user's own, print on."""
    if sys.stdout is None:
        yield
        return
    with contextlib.redirect_stdout(_Others(sys.stdout, thread)):
        yield


def check_port(host: str, port: int) -> None:
    """Refuse a port that is taken: viser would silently take the next one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            raise ArgumentError(
                f"nothing can be shown at {host}:{port}: {error}; --port 0 takes any that is free"
            ) from None


def _is_guarded(host: str, port: int) -> bool:
    """Whether a page of another address is refused, as it must be."""
    near = LOCAL if host in ANYWHERE else host
    near = f"[{near}]" if ":" in near else near
    asked = urllib.request.Request(f"http://{near}:{port}/", headers={"Origin": "http://elsewhere"})
    opened: Callable[..., Any] = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    try:
        opened(asked, timeout=PATIENCE).close()
    except urllib.error.HTTPError as answer:
        return answer.code == http.HTTPStatus.FORBIDDEN
    return False


def _refused(http11: Any, why: str) -> Any:
    text = f"refused: {why}\n".encode()
    headers = http11.Headers({"Content-Type": "text/plain", "Content-Length": str(len(text))})
    return http11.Response(http.HTTPStatus.FORBIDDEN.value, "Forbidden", headers, text)
