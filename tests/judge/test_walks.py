"""Ways through the source: how many files a question enters, and which it does not."""

import re
import subprocess
import sys
from pathlib import Path

import visviva
from tools.architecture_page import HEAD
from visviva.describe import catalog

ROOT = Path(visviva.__file__).parent
CLAIM = (
    "tau2 = (I2 + m2 r2^2) (q1'' + q2'') + m2 L1 r2 cos(q2) q1'' + m2 L1 r2 sin(q2) q1'^2"
    " + m2 a_g r2 cos(q1 + q2)"
)


def entered(f):
    """The files of ours whose functions run in a call."""
    files = set()

    def look(frame, event, _):
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(str(ROOT)) and frame.f_code.co_name != "<module>":
            files.add(str(Path(path).relative_to(ROOT)))

    sys.setprofile(look)
    try:
        f()
    finally:
        sys.setprofile(None)
    return files


def test_a_claim_is_judged_in_few_files():
    assert catalog.two_link().check(CLAIM).status == "identical"  # what is imported late is there
    arm = catalog.two_link()
    files = [x for x in entered(lambda: arm.check(CLAIM)) if x.startswith(("judge", "notation"))]
    assert len(files) <= 50, sorted(files)


def test_a_derivation_does_not_import_what_writes_it():
    code = """if True:
        import sys
        from visviva.describe import catalog
        catalog.pendulum().derivation()
        ours = [name for name in sys.modules if name.startswith("visviva")]
        print(*[x for x in ours if x.endswith(("documents", "webpage", "mathml", ".latex"))])
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""


def test_the_page_of_the_architecture_names_what_there_is():
    rooms = "algebra|notation|space|describe|equations|machine|judge"
    for name in re.findall(rf"`((?:{rooms})/[a-z_/]+)`", HEAD):
        assert (ROOT / name).is_dir() or (ROOT / f"{name}.py").is_file(), name
