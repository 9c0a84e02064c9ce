"""The built-in expectations, judged as the engine has them judged."""
