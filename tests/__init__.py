"""The tests; they mirror gekko/ and expectations/."""
