"""How long gko takes, always next to the least that the same work could take on the same machine."""
