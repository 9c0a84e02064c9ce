"""What waits for something: transports, the gate, execution."""
