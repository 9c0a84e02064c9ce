"""More expectations for gko, one module a key."""
