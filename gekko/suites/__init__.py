"""A suite on its way to verdicts: who answers its cases, who judges them, and what is kept of it."""
