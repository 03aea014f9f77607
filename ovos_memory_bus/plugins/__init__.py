"""What other parts of OVOS can use of us without the service: our embedding model and a store of vectors."""
