"""Which proxy the environment names for a URL, and when there is none."""

from collections.abc import Mapping
from functools import lru_cache
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit


def proxy_for(url: str, environ: Mapping[str, str]) -> str | None:
    """Return the URL of the proxy for *url*, from HTTP_PROXY or HTTPS_PROXY and NO_PROXY; None is a direct connection.

    The variables may be in lower case, which wins. A loopback host never has a proxy: none could reach it.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    proxy = variable(f"{parts.scheme}_proxy", environ)
    if not proxy or is_loopback(host):
        return None
    if any(covers(entry.strip().lower(), host, parts.port) for entry in variable("no_proxy", environ).split(",")):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def variable(name: str, environ: Mapping[str, str]) -> str:
    """Return an environment variable that may be written in either case."""
    return environ.get(name) or environ.get(name.upper()) or ""


@lru_cache
def is_loopback(host: str) -> bool:
    """Return whether *host* is this machine by definition, without a look-up."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.rstrip(".") == "localhost"


@lru_cache
def covers(entry: str, host: str, port: int | None) -> bool:
    """Return whether an entry of NO_PROXY is about *host*: "*", a network, or a domain, the last with or without port.

    A domain stands for itself and all below it, whether it begins with a dot or not.
    """
    try:
        return ip_address(host) in ip_network(entry, strict=False)
    except ValueError:
        pass
    domain = entry.lstrip(".")
    names = (host, f"{host}:{port}")
    return entry == "*" or (domain != "" and any(name == domain or name.endswith(f".{domain}") for name in names))
