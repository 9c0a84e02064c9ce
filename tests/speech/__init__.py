"""Transcriptions by a real speech engine, which a small server of these tests puts behind HTTP."""
