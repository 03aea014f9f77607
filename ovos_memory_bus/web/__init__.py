"""The HTTP API under `/api/v1` and the inspector page: the operations of the bus for a browser on this device."""
