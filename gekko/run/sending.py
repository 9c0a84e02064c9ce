"""One request and its answer, read to its end; whatever is wrong with that is told without any header's value."""

import logging
from collections.abc import Iterable

from attrs import evolve

from gekko.errors import BackendError
from gekko.plan.access import Header
from gekko.run.exchange import Answer, Parser, Reply, Request, Transport
from gekko.run.protocols.chat_stream import ChatStreamParser, is_event_stream
from gekko.run.protocols.envelope import DETAIL_BYTES, error_detail
from gekko.run.redaction import gives_away, unless_telling
from gekko.run.showing import Showing
from gekko.run.transient import BUSY, TransientError, retry_after_secs

log = logging.getLogger(__name__)


async def reply_to(
    request: Request, timeout_secs: float, transport: Transport, parser: Parser, showing: Showing | None = None
) -> Reply:
    """Send *request* and return what *parser* makes of the answer; one in pieces goes to *showing* meanwhile.

    Raises:
        TransientError: there is no answer, but there may be one later.
        BackendError: there is no answer, it is a refusal, or it does not speak the protocol.
    """
    async with transport.send(request, timeout_secs) as answer:
        log.info("%s answers with status %s", request.shown, answer.status)
        if not 200 <= answer.status < 300:
            raise await _refusal(request, answer)
        # A server that cannot stream answers as one document, whatever it was asked for.
        if showing is not None and is_event_stream(answer.headers):
            parser = ChatStreamParser(showing.feed)
        reply = await _parsed(request, answer, parser)
    # All that a server says of its answer, and that goes into statistics and records.
    told = (reply.finish_reason, reply.model, reply.fingerprint)
    if not any(text and gives_away(text, request.headers) for text in told):
        return reply
    reason, model, fingerprint = (text and _kept(text, request.headers) for text in told)
    return evolve(reply, finish_reason=reason, model=model, fingerprint=fingerprint)


def _kept(text: str, headers: Iterable[Header]) -> str | None:
    return None if gives_away(text, headers) else text


async def _parsed(request: Request, answer: Answer, parser: Parser) -> Reply:
    async for chunk in answer.chunks():
        try:
            parser.feed(chunk)
        except BackendError as error:
            raise _misunderstood(request, error) from None
    try:
        return parser.finish()
    except BackendError as error:
        raise _misunderstood(request, error) from None


def _misunderstood(request: Request, error: BackendError) -> BackendError:
    """Return the error of a parser with the place of the request; a server may say a secret in it."""
    return BackendError(f"{request.shown}: {unless_telling(str(error), request.headers)}")


async def _refusal(request: Request, answer: Answer) -> BackendError:
    """Return the error for an answer whose status is not one of success."""
    said = unless_telling(await _detail(answer), request.headers)
    text = f"{request.shown} answered {answer.status}" + (f": {said}" if said else "")
    if answer.status in BUSY:
        return TransientError(text, is_overload=True, retry_after_secs=retry_after_secs(answer.headers))
    return BackendError(text)


async def _detail(answer: Answer) -> str:
    """Return what a body says that came with a status other than success."""
    body = b""
    async for chunk in answer.chunks():
        body += chunk
        if len(body) >= DETAIL_BYTES:
            break
    return error_detail(body)
