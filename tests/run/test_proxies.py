"""The environment decides on a proxy, but never for this machine."""

import pytest

from gekko.run.proxies import proxy_for

PROXY = "http://proxy.example:3128"


@pytest.mark.parametrize(
    ("url", "environ", "proxy"),
    [
        pytest.param("http://backend.example/v1", {}, None, id="none"),
        pytest.param("http://backend.example/v1", {"HTTP_PROXY": PROXY}, PROXY, id="http"),
        pytest.param("http://backend.example/v1", {"HTTPS_PROXY": PROXY}, None, id="other-scheme"),
        pytest.param("https://backend.example/v1", {"HTTPS_PROXY": PROXY}, PROXY, id="https"),
        pytest.param("http://a.example/", {"HTTP_PROXY": "http://b", "http_proxy": PROXY}, PROXY, id="lower-case-wins"),
        pytest.param("http://a.example/", {"HTTP_PROXY": ""}, None, id="empty"),
        pytest.param("http://a.example/", {"http_proxy": "proxy.example:3128"}, PROXY, id="without-scheme"),
    ],
)
def test_the_variable_of_the_scheme_names_the_proxy(url: str, environ: dict[str, str], proxy: str | None) -> None:
    assert proxy_for(url, environ) == proxy


@pytest.mark.parametrize(
    "host", ["localhost", "LocalHost", "localhost.", "127.0.0.1", "127.9.9.9:8000", "[::1]", "[::1]:8000"]
)
def test_loopback_never_has_a_proxy(host: str) -> None:
    assert proxy_for(f"http://{host}/v1", {"http_proxy": PROXY}) is None


@pytest.mark.parametrize(
    ("host", "no_proxy", "is_direct"),
    [
        pytest.param("backend.example", "backend.example", True, id="same"),
        pytest.param("Backend.Example", "BACKEND.example", True, id="case"),
        pytest.param("a.backend.example", "other, backend.example ,x", True, id="below"),
        pytest.param("a.backend.example", ".backend.example", True, id="leading-dot"),
        pytest.param("mybackend.example", "backend.example", False, id="same-letters-other-domain"),
        pytest.param("backend.example:8000", "backend.example:8000", True, id="port"),
        pytest.param("backend.example:8000", "backend.example:8001", False, id="other-port"),
        pytest.param("backend.example:8000", "backend.example", True, id="any-port"),
        pytest.param("backend.example", "*", True, id="all"),
        pytest.param("backend.example", ",", False, id="empty-entries"),
        pytest.param("10.1.2.3", "10.0.0.0/8", True, id="network"),
        pytest.param("11.1.2.3:80", "10.0.0.0/8", False, id="other-network"),
        pytest.param("10.1.2.3:80", "10.1.2.3", True, id="address"),
        pytest.param("[2001:db8::1]", "2001:db8::/32", True, id="network-v6"),
    ],
)
def test_no_proxy_excepts_hosts(host: str, no_proxy: str, *, is_direct: bool) -> None:
    environ = {"http_proxy": PROXY, "NO_PROXY": no_proxy}

    assert (proxy_for(f"http://{host}/v1", environ) is None) == is_direct
