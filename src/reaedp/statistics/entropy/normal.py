"""How far a normal variable goes."""

from reaedp.errors import DeclarationError, sentence


def normal_quantile(confidence: float) -> float:
    """How many standard errors a normal variable stays within so often."""
    from scipy.special import ndtri

    if not 0 < confidence < 1:
        raise DeclarationError(sentence("confidence must lie between 0 and 1", given=confidence))
    return -float(ndtri((1 - confidence) / 2))
