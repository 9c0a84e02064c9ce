"""What a person should have heard once before they rely on something."""

from gekko.cli.session import Session
from gekko.plan.access import Accesses, EngineAccess

EMBEDDED = "The embedded model is small: it proves that the pipe works, not that a prompt is good."


def about_the_engine(session: Session, accesses: Accesses) -> None:
    """Tell what the embedded model is good for, the first time that it is used."""
    if any(isinstance(access, EngineAccess) for access in accesses.values()):
        session.say_once("embedded", EMBEDDED)
