"""Text into vectors: tokenizers, the ONNX encoder, and the thread it runs in."""

import os

# Published builds of onnxruntime from 1.29 on report their use to their maker, under an id of the device that they
# leave in its cache folder, unless told before they are imported. What a memory does is nobody's business.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
