"""The built-in expectations, one module a key, registered like anybody else's."""
