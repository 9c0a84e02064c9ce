"""A request as a dry run shows it: where it would go and what it would say, without any header's value."""

import json

from gekko.plan.targets import Target
from gekko.run.exchange import Body, Form
from gekko.specs.backend import Server

REDACTED = "[redacted]"


def request_text(target: Target, body: Body) -> str:
    """Return the request as JSON with the keys `url`, `headers` and `body`."""
    spec = target.backend.spec
    if isinstance(spec, Server):
        url, headers = spec.url(target.operation), dict.fromkeys(spec.headers, REDACTED)
    else:
        # The engine listens on a port, and wants a key, that are made when it starts.
        url, headers = f"embedded:{spec.id}{target.operation.path}", {"Authorization": REDACTED}
    shown = {"url": url, "headers": headers, "body": _form(body) if isinstance(body, Form) else json.loads(body)}
    return json.dumps(shown, ensure_ascii=False, indent=2) + "\n"


def _form(form: Form) -> dict[str, str]:
    return {**dict(form.fields), form.upload.field_name: form.upload.file_name}
