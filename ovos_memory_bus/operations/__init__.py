"""What the service can be asked to do, whoever asks: the bus, the HTTP API, the command. One module a family."""
