"""What the engine knows of its words, said once: operations and what holds of them, types."""
