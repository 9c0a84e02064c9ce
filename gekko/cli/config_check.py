"""`gko config check`, also `gko doctor`: whether everything that is configured would work."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from gekko.cli.exits import Exit
from gekko.cli.interrupts import run_heedful
from gekko.cli.options import Leaf
from gekko.cli.session import Session
from gekko.cli.streams import write_result
from gekko.errors import ConfigurationError
from gekko.locations import shown_path

if TYPE_CHECKING:
    from gekko.plan.catalog import Catalog
    from gekko.plan.checkup import Finding
    from gekko.sources.scopes import Scope


def _command(name: str) -> click.Command:
    @click.command(name, cls=Leaf)
    @click.option("--json", "as_json", is_flag=True, help="Report as a JSON array.")
    @click.pass_obj
    def command(session: Session, as_json: bool) -> int:
        """Check the configuration, and whether its backends accept connections.

        Every backend, model, command, schema, partial and case is read. No request is sent.
        """
        return _check(session, as_json)

    return command


check = _command("check")
doctor = _command("doctor")


def _check(session: Session, as_json: bool) -> int:
    from gekko.checks.registry import discover
    from gekko.plan.checkup import check_up
    from gekko.report.checkup import finding_row, finding_table
    from gekko.report.rows import json_rows
    from gekko.report.table import painter

    scopes, catalog = _configured(session)
    findings = [*_skipped(session), *check_up(scopes, catalog, discover(), session.environ)]
    findings += _recordings(scopes)
    if not isinstance(catalog, ConfigurationError):
        findings += run_heedful(_reached(catalog))
    if as_json:
        write_result(json_rows(finding_row(finding) for finding in findings))
    else:
        write_result(finding_table(findings, painter(has_colour=session.has_colour)))
    failed = {finding.kind for finding in findings if not finding.is_ok}
    if "config" in failed:
        return Exit.CONFIGURATION
    return Exit.BACKEND if failed else Exit.SUCCESS


def _configured(session: Session) -> "tuple[tuple[Scope, ...], Catalog | ConfigurationError]":
    """Return the scopes, and what is configured in them or else why that cannot be loaded; all is read once."""
    scopes: tuple[Scope, ...] = ()
    try:
        scopes = session.scopes()
        return scopes, session.catalog()
    except ConfigurationError as error:
        return scopes, error


def _skipped(session: Session) -> "Iterator[Finding]":
    from gekko.plan.checkup import Finding
    from gekko.sources.scopes import skipped_scopes

    for text in skipped_scopes(session.environ, session.cwd, session.home):
        yield Finding("config", f"scope {text}")


def _recordings(scopes: "tuple[Scope, ...]") -> "Iterator[Finding]":
    """Yield a finding for each recording that answers nothing; those that are sound are too many to be told of."""
    from gekko.plan.checkup import Finding
    from gekko.record.recordings import useless_recordings

    for scope in scopes:
        for issue in useless_recordings(scope.root / "tests"):
            yield Finding("config", f"recording {shown_path(issue.where.path)}", str(issue))


async def _reached(catalog: "Catalog") -> "list[Finding]":
    import asyncio

    from gekko.plan.checkup import Finding, serve_commands
    from gekko.run.reachability import unreachable
    from gekko.specs.backend import Server

    urls = {
        name: backend.spec.base_url for name, backend in catalog.backends.items() if isinstance(backend.spec, Server)
    }
    calls = serve_commands(catalog)
    reasons = await asyncio.gather(*(unreachable(url) for url in urls.values()))
    return [
        Finding("reachability", f"backend {name}", _with_hint(reason, calls.get(name)))
        for name, reason in zip(urls, reasons, strict=True)
    ]


def _with_hint(reason: str, call: str | None) -> str:
    return f"{reason}; `{call}` starts it" if reason and call else reason
