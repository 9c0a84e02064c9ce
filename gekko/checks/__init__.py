"""The contract between the engine and expectations."""
