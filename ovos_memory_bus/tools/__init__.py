"""What a language model can do with the memory: one definition for every way it is offered."""
