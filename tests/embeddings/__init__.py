"""Embeddings, from a stub and from two real engines: the embedded one, and a server that others wrote."""

from tests.project import Project

EMBED = 'description = "Embed a text"\nmodel = "vec"\n[output]\nformat = "json"\n'
QUERY = "query: {{ input }}"


def lay_out(project: Project, url: str, more: str = "") -> None:
    """Write the backend `vectors`, its model `vec`, and the command `gko embed`."""
    project.write(
        "backends/vectors.toml",
        f'id = "vectors"\ntype = "openai-compatible"\nbase_url = "{url}"\n{more}\n'
        '[operations.embed]\npath = "/v1/embeddings"\nprotocol = "embeddings"\n',
    )
    project.model(id="vec", backend="vectors", operation="embed")
    project.command("embed", EMBED, QUERY)
