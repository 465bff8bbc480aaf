"""Who comes in: at this machine's own address its own pages, elsewhere who has the token."""

import socket
import threading
import time
import urllib.error
import urllib.request

import pytest

import visviva as vv
from visviva.errors import ArgumentError, BackendError
from visviva.show.live.gate import Gate, is_local, new_token, open_server, quiet

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def status(url, **headers):
    try:
        with OPENER.open(urllib.request.Request(url, headers=headers), timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def handshake(port, path, **headers):
    """The status of a websocket's first request."""
    lines = {"Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade"}
    lines |= {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version": "13"}
    lines |= headers
    text = f"GET {path} HTTP/1.1\r\n" + "".join(f"{k}: {x}\r\n" for k, x in lines.items())
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        line.sendall(f"{text}\r\n".encode())
        return int(line.recv(4096).split()[1])


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def open_view():
    """At an address that other machines reach."""
    with vv.catalog.pendulum(n=1).view(host="0.0.0.0", port=0) as view:
        yield view


def test_without_the_token_nothing_is_answered(open_view):
    port, token = open_view.port, open_view.gate.token
    assert len(token) >= 20
    assert token in open_view.url
    for path in ("/", "/index.html", f"/x{token}/", f"/?token={token}", f"//{token}x"):
        assert status(f"http://127.0.0.1:{port}{path}") == 403
        assert handshake(port, path) == 403


def test_other_machines_are_told_the_name_of_this_one(open_view):
    address = f"http://{socket.gethostname()}:{open_view.port}/{open_view.gate.token}/"
    assert open_view.url_elsewhere == address
    assert repr(open_view).endswith(f"{open_view.url}, from other machines {address}")
    with vv.catalog.pendulum(n=1).view(port=0) as at_home:
        assert at_home.url_elsewhere == ""
        assert repr(at_home).endswith(f": {at_home.url}")


def test_files_tell_apart_as_many_as_there_are():
    with pytest.raises(ArgumentError, match=r"one for each of 1 mechanisms, got \['a', 'b'\]"):
        vv.catalog.two_link().view(port=0, files=["a", "b"])


def test_with_the_token_page_and_websocket_are(open_view):
    assert status(open_view.url) == 200
    assert handshake(open_view.port, f"/{open_view.gate.token}") == 101
    assert handshake(open_view.port, f"/{open_view.gate.token}", Origin="http://elsewhere") == 403
    assert status(f"{open_view.url}../../../etc/passwd") in (403, 404)


def test_at_home_pages_of_other_addresses_are_refused():
    gate = Gate()
    assert not gate.refusal("/", "127.0.0.1:8080", "")
    assert not gate.refusal("/", "localhost:8080", "http://localhost:8080")
    assert gate.refusal("/", "127.0.0.1:8080", "http://example.org")
    assert gate.refusal("/", "127.0.0.1:8080", "http://127.0.0.1:9999")
    assert gate.refusal("/", "example.org:8080", "")  # a name that was bent to this machine
    assert gate.refusal("/", "", "")


def test_what_is_this_machine_alone():
    assert all(map(is_local, ("127.0.0.1", "127.1.2.3", "::1", "localhost", "LOCALHOST")))
    assert not any(map(is_local, ("0.0.0.0", "::", "192.168.1.2", "example.org", "")))
    assert new_token() != new_token()


def test_a_closed_view_leaves_no_port_and_no_thread():
    before = set(threading.enumerate())
    view = vv.catalog.pendulum(n=1).view(port=0)
    port = view.port
    assert status(view.url) == 200
    assert handshake(port, "/", Origin=f"http://127.0.0.1:{port}") == 101
    view.ready.wait(120)
    view.close()
    view.close()
    assert not is_open(port)
    assert "closed" in repr(view)
    for _ in range(6000):  # one that has just been made cannot be joined
        if not (left := set(threading.enumerate()) - before):
            break
        time.sleep(0.01)
    assert not left


def test_a_port_that_is_taken_is_refused_if_it_was_asked_for():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ArgumentError, match="nothing can be shown at 127"):
            open_server("127.0.0.1", taken.getsockname()[1], Gate(), "x")


@pytest.mark.parametrize("error", [ConnectionResetError("gone"), KeyboardInterrupt()])
def test_a_server_that_cannot_be_looked_at_is_closed(monkeypatch, error):
    ports = []

    def unreachable(host, port):
        ports.append(port)
        raise error

    monkeypatch.setattr("visviva.show.live.gate._is_guarded", unreachable)
    kind = BackendError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(kind, match=r"does not answer this machine: gone|^$"):
        open_server("127.0.0.1", 0, Gate(), "x")
    assert not is_open(ports[0])


def test_only_one_thread_is_quiet(capsys):
    with quiet(threading.current_thread()):
        print("of a library")
        other = threading.Thread(target=print, args=("of the user",))
        other.start()
        other.join()
    print("after")
    assert capsys.readouterr().out == "of the user\nafter\n"


def test_without_viser_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "viser", None)
    with pytest.raises(BackendError, match=r"pip install .*visviva\[view\]"):
        vv.catalog.pendulum(n=1).view(port=0)
