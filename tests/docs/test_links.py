"""Links between the pages lead somewhere, and every page can be reached."""

from pathlib import Path

import pytest

from tests.docs.markdown import PAGES, ROOT, anchor, headings, links

INDEX = ROOT / "docs" / "index.md"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_section_that_are_there(path: Path) -> None:
    lost = [target for target in links(path.read_text()) if not leads_somewhere(path, target)]

    assert lost == []


def test_the_index_leads_to_every_page() -> None:
    reached = {(INDEX.parent / target.partition("#")[0]).resolve() for target in links(INDEX.read_text())}

    assert [page.name for page in PAGES if page.parent != ROOT and page not in {*reached, INDEX}] == []


def leads_somewhere(path: Path, target: str) -> bool:
    """Return whether *target*, as a link on the page *path*, is there; the rest of the world is not looked at."""
    if "://" in target:
        return True
    file, _, fragment = target.partition("#")
    page = (path.parent / file).resolve() if file else path
    if not fragment:
        return page.exists()
    return page.exists() and fragment in {anchor(title) for title in headings(page.read_text())}
