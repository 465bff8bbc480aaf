"""A page in a browser: whole, offline, in light and dark, on a phone, on paper; hostile texts."""

import json
import re
from html import unescape

import plotly.graph_objects as go
import pytest
import sympy

import visviva as vv
from visviva.errors import ArgumentError, UnknownNameError, VisvivaError
from visviva.notation.names import printable
from visviva.show.page.assets import fingerprint, script_names
from visviva.show.page.formulas import closed_formulas, formula
from visviva.show.page.page import Page, Section
from visviva.show.page.parts import code, facts, fold, mark, note, table

IMAGE = '<img src=x onerror="window.hacked = 1">'
SCRIPT = "</script><script>window.hacked = 2</script><!-- <script>"
LONG = "x" * 10_000
TURNED = "a\u202eb\u2028c\u0007d"
HOSTILE = [IMAGE, SCRIPT, "'\"`${window.hacked = 3}", "&lt;b&gt;", "]]>", TURNED]
K, M, X = sympy.symbols("K m x")


def figure(text="a line"):
    made = go.Figure([go.Scatter(x=[0, 1, 2], y=[0, 1, 0.5], name=text)])
    return made.update_layout(title=text, xaxis_title="t")


def filled(text="plain words"):
    """Everything that a page can have, with one text wherever there is one."""
    page = Page(text, text)
    page.data("words", {"text": text, text: [text]})
    page.add(Section("facts", text, facts({text: text}) + table([text, "n"], [[text, "1.5"]])))
    inside = mark(text, "good") + note(f"<p>{mark(text)}</p>", "bad") + code(text)
    page.add(Section("marks", "Marks", inside + fold(text, "<p id='folded'>folded</p>")))
    wide = sympy.Eq(K, M * X**2 / 2 + sum(sympy.symbols(f"y1:{30}")))
    page.add(Section("formulas", "Formulas", formula(wide, ["x"])))
    form = vv.catalog.rp_arm().closed_form()
    page.add(Section("closed", "Closed form", closed_formulas(form), folded=True, lead=text))
    page.add(Section("plot", "Plot", page.plot(figure(text), text, text)))
    page.script(f"VV.heard = {'x'!r}; // {text.splitlines()[0]}")
    return page


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    path = tmp_path_factory.mktemp("pages") / "plain.html"
    return filled().save(path)


# ---- without a browser


def test_ids_are_words_and_unique():
    page = Page("title")
    page.add(Section("one", "One", ""))
    for bad in (Section("one", "again", ""),):
        with pytest.raises(ArgumentError, match="already"):
            page.add(bad)
    for word in ("", "Two words", 'x"', "1st", "<b>"):
        with pytest.raises(ArgumentError, match="small letters"):
            Section(word, "x", "")
        with pytest.raises(ArgumentError, match="small letters"):
            page.data(word, 1)
    page.data("two", 2)
    with pytest.raises(ArgumentError, match="already"):
        page.data("two", 2)


def test_copied_programs_bring_the_values_of_their_parameters():
    form = vv.catalog.rp_arm().closed_form()
    made = closed_formulas(form, "equations")
    texts = json.loads(re.search(r'class="texts">(.*?)</script>', made, re.DOTALL)[1])
    known = {}
    exec(texts["Python"], known)
    q, v, a = [0.3, 0.7], [0.4, -0.2], [1.0, 2.0]
    tau = known["rp_arm_equations"](q, v, a, known["parameters"])
    assert tau == pytest.approx(vv.catalog.rp_arm().inverse_dynamics(q, v, a), rel=1e-12)
    assert "parameter_values[] = {1.5, 1.0, 0.4, 0.08, 0.05, 9.81};" in texts["C"]
    assert "1.5" not in texts["LaTeX"]


def test_what_there_is_not_is_named():
    page = Page("title")
    with pytest.raises(UnknownNameError, match=r"viewer\.js"):
        page.script("viewr.js")
    with pytest.raises(UnknownNameError, match="'good', 'bad'"):
        mark("x", "green")
    with pytest.raises(ArgumentError, match="figure of plotly, got int"):
        page.plot(3, "three")
    with pytest.raises(ArgumentError, match="cannot see"):
        page.plot(figure(), " ")
    with pytest.raises(ArgumentError, match="scattergl"):
        page.plot(go.Figure([go.Scattergl(x=[1], y=[1])]), "points")
    with pytest.raises(ArgumentError, match="got set"):
        page.data("x", {1, 2})
    with pytest.raises(VisvivaError, match="no folder"):
        page.save("/nowhere/at/all.html")


def test_the_policy_names_every_script_and_nothing_else():
    text = filled().html()
    policy = unescape(re.search(r'Security-Policy" content="([^"]*)"', text)[1])
    scripts = re.findall(r"<script>(.*?)</script>", text, re.S)
    assert set(re.findall(r"'sha256-[^']*'", policy)) == set(map(fingerprint, scripts))
    parts = dict(part.strip().partition(" ")[::2] for part in policy.split(";"))
    assert parts["default-src"] == parts["connect-src"] == "'none'"
    assert parts["script-src"].endswith(" blob:")
    assert "unsafe" not in parts["script-src"]
    assert not re.search(r"<[^>]*\son\w+=", re.sub(r"<script.*?</script>", "", text, flags=re.S))


def test_scripts_come_once_after_what_they_build_on():
    page = Page("title")
    for name in ("player.js", "viewer.js", "player.js"):
        page.script(name)
    text = page.html()
    places = [text.index(f"VV.{x} =") for x in ("element", "camera", "pieces", "viewer", "picture")]
    assert places == sorted(places)
    assert text.count("VV.viewer = ") == 1
    assert {"page.js", "viewer.js", "player.js", "plots.js", "theme.js"} <= set(script_names())


def test_plotly_is_in_a_page_only_where_a_plot_is():
    assert len(Page("title").html()) < 60_000
    page = Page("title")
    page.add(Section("plots", "Plots", "".join(page.plot(figure(), "line") for _ in range(3))))
    assert page.html().count('id="packed-plotly"') == 1
    assert len(page.html()) < 2_500_000


def test_formulas_are_copied_as_programs_that_run():
    html = formula(sympy.Eq(K, M * X**2 / 2), ["x"], name="kinetic")
    texts = re.search(r'class="texts">(.*?)</script>', html, re.S)[1]
    import json

    copies = json.loads(texts)
    assert set(copies) == {"LaTeX", "Python", "C"}
    scope = {}
    exec(copies["Python"], scope)
    assert scope["kinetic"](m=3.0, x=2.0) == 6.0
    assert "double" in copies["C"]
    unknown = sympy.Function("f")(X)
    assert '"Python"' not in formula(sympy.Eq(K, unknown))
    assert "data-copy" in formula(vv.catalog.rp_arm().derivation().equations[0])


# ---- in a browser


def test_a_page_opens_without_network_or_error(browser, plain):
    browser.open(plain, motion=True)
    assert browser.run("document.title") == "plain words"
    assert browser.run("VV.heard") == "x"
    assert browser.run("VV.data('words').text") == "plain words"
    box = "document.querySelector('#formulas math').getBoundingClientRect()"
    assert browser.run(f"{box}.height") > 10
    browser.run("document.querySelector('#plot').scrollIntoView()")
    browser.wait("document.querySelector('[data-drawn=done] .main-svg')")
    assert browser.run("document.querySelectorAll('.scatterlayer .trace').length") == 1
    browser.check()
    browser.keep("page-light")


def test_the_policy_is_in_force(browser, plain):
    """Neither a script of somebody else nor a request, even if one gets in."""
    browser.open(plain)
    browser.run(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 1';"
        "document.body.append(s); document.body.insertAdjacentHTML('beforeend',"
        '\'<img src="https://example.org/x.png" onerror="window.hacked = 2">\'); })()'
    )
    sent = browser.run("fetch('https://example.org/').then(() => 1, () => 0)")
    assert browser.run("window.hacked") is None
    assert sent == 0
    assert any("Content Security Policy" in x for x in browser.errors)
    assert browser.requests == []


@pytest.mark.parametrize("text", [" ".join(HOSTILE), LONG], ids=["marks", "long"])
def test_hostile_texts_are_shown_as_texts(browser, text):
    browser.open(filled(text).html(), width=375)
    assert browser.run("VV.data('words')") == {"text": text, text: [text]}
    browser.run("VV.plotsReady().then(() => 1)")
    assert browser.run("window.hacked") is None
    assert browser.run("document.querySelectorAll('main img, main script:not([type])').length") == 0
    for place in ("h1", "#marks code", "#facts td", "#facts dd", "#marks .mark", "figcaption"):
        shown = browser.run(f"document.querySelector('{place}').textContent")
        assert shown == printable(text), place
    assert browser.run("document.documentElement.scrollWidth") <= 375
    browser.check()


def test_a_browser_that_cannot_unpack_says_so_in_words(browser, plain):
    added = browser.call(
        "Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream"
    )
    browser.open(plain)
    browser.run("document.querySelector('#plot').scrollIntoView()")
    browser.wait("document.querySelector('.instead').textContent.includes('cannot unpack')")
    assert "plain words" in browser.run("document.querySelector('.instead').textContent")
    browser.media(paper=True)  # who prints before plots are drawn gets their lines
    shown = browser.box(".plot img.still")
    assert shown[2] > 300
    assert shown[3] > 150
    assert browser.run("document.querySelector('.plot img.still').naturalWidth") == 700
    browser.media()
    assert browser.box(".plot img.still")[2] == 0
    browser.call("Page.removeScriptToEvaluateOnNewDocument", **added)
    browser.check()


def test_colours_follow_the_device_and_the_switch(browser, plain):
    paper = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]"
    browser.open(plain)
    assert browser.run(paper) > 240
    assert browser.run("VV.dark()") is False
    browser.click("[data-theme-choice=dark]")
    assert browser.run(paper) < 60
    assert browser.run("VV.dark()") is True
    browser.open(plain, dark=True)  # the choice is kept
    assert browser.run("document.documentElement.dataset.theme") == "dark"
    browser.click("[data-theme-choice=light]")
    assert browser.run(paper) > 240
    browser.click("[data-theme-choice=auto]")
    assert browser.run(paper) < 60
    browser.run("document.querySelector('#plot').scrollIntoView()")
    browser.run("VV.plotsReady().then(() => 1)")
    ink = "getComputedStyle(document.querySelector('.xtitle')).fill.match(/\\d+/g).map(Number)[0]"
    dark = browser.run(ink)
    browser.keep("page-dark")
    browser.click("[data-theme-choice=light]")
    browser.wait(f"{ink} < {dark} - 40")
    browser.run("localStorage.clear()")
    browser.check()


def test_a_phone_scrolls_formulas_not_the_page(browser, plain):
    browser.open(plain, width=375, height=700, scale=2, touch=True)
    browser.run("document.querySelectorAll('main details').forEach((e) => { e.open = true; })")
    browser.run("VV.plotsReady().then(() => 1)")
    assert browser.run("document.documentElement.scrollWidth") == 375
    line = "document.querySelector('#formulas .line')"
    assert browser.run(f"{line}.scrollWidth > {line}.clientWidth + 20")
    assert browser.run("document.querySelector('.contents details').open") is False
    browser.click(".contents summary")
    assert browser.run("document.querySelector('.contents details').open") is True
    browser.keep("page-phone")
    browser.check()


def test_links_and_print_open_what_is_folded(browser, plain):
    browser.open(plain)
    chapter = "document.querySelector('#closed > details')"
    assert browser.run(f"{chapter}.open") is False
    browser.click(".contents a[href='#closed']")
    browser.wait(f"{chapter}.open")
    browser.run(f"{chapter}.open = false")
    browser.run(
        "window.printed = null; addEventListener('beforeprint', () => { window.printed ="
        "[...document.querySelectorAll('main details')].map((e) => e.open || "
        "Boolean(e.closest('.copies'))).every(Boolean);"
        "const svg = document.querySelector('.plot svg.main-svg');"
        "window.wide = [svg.getAttribute('width'), svg.getAttribute('viewBox')]; })"
    )
    browser.wait(
        "document.querySelector('.plot').dataset.drawn === 'done'"
    )  # nobody scrolled there
    wide = browser.run("document.querySelector('.plot svg.main-svg').getAttribute('width')")
    pdf = browser.print()
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 20_000
    assert browser.run("window.printed") is True
    assert browser.run("window.wide") == ["690", "0 0 690 400"]  # a line of A4, whatever the screen
    assert wide != "690"
    browser.wait(f"document.querySelector('.plot svg.main-svg').getAttribute('width') === {wide!r}")
    assert browser.run(f"{chapter}.open") is False
    browser.media(paper=True)
    hidden = (
        "['.contents', '.copies'].map((x) => getComputedStyle(document.querySelector(x)).display)"
    )
    assert browser.run(hidden) == ["none", "none"]
    browser.media()
    browser.check()


def test_formulas_and_code_are_copied(browser, plain):
    browser.open(plain)
    for name, sign in {"LaTeX": "\\frac", "Python": "import numpy", "C": "#include"}.items():
        browser.click("#formulas .copies summary")
        browser.click(f"#formulas [data-copy='{name}']")
        browser.wait(f"(VV.lastCopied || '').includes({sign!r})")
    browser.run("navigator.clipboard.writeText = () => Promise.reject(new Error('forbidden'))")
    browser.click("#marks .code [data-copy]")
    browser.wait("VV.lastCopied === 'plain words'")
    browser.check()


def test_keys_reach_everything_and_the_focus_is_seen(browser, plain):
    browser.open(plain)
    browser.key("Tab")
    assert browser.run("document.activeElement.className") == "skip"
    seen = []
    for _ in range(40):
        browser.key("Tab")
        at = "document.activeElement"
        seen.append(browser.run(f"{at}.dataset.themeChoice || {at}.hash || {at}.className"))
        if seen[-1] == "#facts":
            assert browser.run(f"getComputedStyle({at}).outlineStyle") == "solid"
    assert {"#facts", "#plot", "auto", "dark", "line"} <= set(seen)
