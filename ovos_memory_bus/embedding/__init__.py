"""Text into vectors: tokenizers, the ONNX encoder, and the thread it runs in."""
