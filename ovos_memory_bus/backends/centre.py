"""Where a model's vectors gather: the mean of ordinary sentences in several languages.

Raw cosines of multilingual sentence models lie between .75 and .95 for any two texts; taken from this centre,
unrelated texts are near 0. It belongs to the model, not to a memory, so similarities compare across memories.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..embedding.worker import EmbeddingWorker

SENTENCES = (
    "The train was late again this morning.",
    "I think we should paint the kitchen next weekend.",
    "Could you repeat that, please?",
    "My cousin works in a bakery near the station.",
    "Heute Abend koche ich eine Suppe.",
    "Das Fahrrad steht noch im Keller.",
    "Wir haben gestern lange telefoniert.",
    "Mañana tengo que llevar el coche al taller.",
    "A mi hermana le gusta mucho el cine.",
    "¿Dónde dejaste las llaves?",
    "O concerto começa às nove horas.",
    "Ele esqueceu o guarda-chuva no escritório.",
    "Domani andiamo al mare con gli amici.",
    "La riunione è stata spostata a giovedì.",
    "Il a plu toute la journée hier.",
    "Je cherche un bon livre pour les vacances.",
    "De kat slaapt op de bank.",
    "We gaan volgende maand verhuizen.",
    "Avui fa molta calor a la ciutat.",
    "El meu pare va comprar un ordinador nou.",
)


async def centre_of(embedding: EmbeddingWorker) -> np.ndarray[Any, np.dtype[Any]]:
    """The mean `[dims]` of the passages' vectors. Raises `ModelError`s."""
    rows = [piece.vector for text in SENTENCES for piece in await embedding.passage(text)]
    return np.asarray(np.mean(rows, axis=0), np.float32)
