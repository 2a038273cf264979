"""How far a normal variable goes."""

from reaedp.errors import DeclarationError, sentence
from reaedp.privacy.normal import quantile


def normal_quantile(confidence: float) -> float:
    """How many standard errors a normal variable stays within so often."""
    if not 0 < confidence < 1:
        raise DeclarationError(sentence("confidence must lie between 0 and 1", given=confidence))
    return -quantile((1 - confidence) / 2)
