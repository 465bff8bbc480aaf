"""Who comes in: at this machine's own address its own pages, elsewhere who has the token."""

import gzip
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass

import pytest

import visviva as vv
from visviva.errors import ArgumentError, BackendError
from visviva.show.live.gate import Gate, is_local, new_token, open_server, quiet, server_policy
from visviva.show.page.assets import fingerprint

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def status(url, **headers):
    try:
        with OPENER.open(urllib.request.Request(url, headers=headers), timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def handshake(port, path, **headers):
    """The status of a websocket's first request."""
    return int(first_answer(port, path, **headers).split()[1])


def first_answer(port, path, **headers):
    """All that comes at once of what a websocket is told."""
    lines = {"Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade"}
    lines |= {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version": "13"}
    lines |= headers
    text = f"GET {path} HTTP/1.1\r\n" + "".join(f"{k}: {x}\r\n" for k, x in lines.items())
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        line.sendall(f"{text}\r\n".encode())
        answer = rest = b""
        while len(rest) < 2 and (new := line.recv(4096)):  # a frame has two bytes at least
            answer += new
            head, _, rest = answer.partition(b"\r\n\r\n")
            if b" 101 " not in head:
                break
        return answer


def closing(port, path, **headers):
    """Why a websocket is closed after it was let in."""
    said = first_answer(port, path, **headers)
    assert b" 101 " in said
    frame = said.partition(b"\r\n\r\n")[2]
    assert frame[0] == 0x88  # the frame that closes: a length, the code 1002, the reason
    assert int.from_bytes(frame[2:4]) == 1002
    return frame[4 : 2 + frame[1]]


@dataclass
class Answer:
    headers: dict
    body: bytes


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def open_view():
    """At an address that other machines reach."""
    with vv.catalog.pendulum(n=1).view(host="0.0.0.0", port=0) as view:
        yield view


def test_the_page_has_a_policy_that_names_its_scripts(open_view):
    with OPENER.open(urllib.request.Request(open_view.url), timeout=60) as answer:
        page, stated = answer.read().decode(), answer.headers["Content-Security-Policy"]
    rules = {x.split()[0]: x.split()[1:] for x in stated.split(";")}
    (script,) = re.findall(r"<script[^<>]*>(.*?)</script>", page, re.DOTALL)
    assert rules["script-src"] == [fingerprint(script), "'strict-dynamic'", "'unsafe-eval'"]
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == ["'none'"]
    host = f"127.0.0.1:{open_view.port}"
    assert rules["connect-src"] == ["'self'", "data:", "blob:", f"ws://{host}", f"wss://{host}"]
    assert "unsafe-inline" not in str({k: x for k, x in rules.items() if k != "style-src"})


@pytest.mark.parametrize("host", ["x; script-src *", "a b", "x,y", "*", "[::1]:8080", "a.b-c:1"])
def test_no_host_adds_rules_to_the_policy(host):
    answer = Answer({}, b"<script>1</script><script data-p='>'>2</script>")
    stated = server_policy(answer, host)
    assert (f"ws://{host}" in stated) == (host in ("[::1]:8080", "a.b-c:1"))
    assert stated.count("script-src") == 1
    assert all(fingerprint(x) in stated for x in "12")
    packed = Answer({"Content-Encoding": "gzip"}, gzip.compress(answer.body))
    assert server_policy(packed, host) == stated


@pytest.mark.parametrize("stated", ["viser-v0.0.1", "viser-v", "viser-v" + "9" * 500, ""])
def test_pages_of_another_version_are_sent_away_without_a_word(open_view, stated, capfd):
    """viser wrote two lines on the terminal for each of them."""
    import viser

    more = {"Sec-WebSocket-Protocol": stated} if stated else {}
    path, port = f"/{open_view.gate.token}", open_view.port
    text = closing(port, path, **more)
    assert text.startswith(b"Version mismatch. Client: ")
    assert text.endswith(f"Server: {viser.__version__}".encode())
    own = {"Sec-WebSocket-Protocol": f"viser-v{viser.__version__}"}
    assert b"mismatch" not in first_answer(port, path, **own)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


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
