"""What measures will probably be at points that were played little or not at all: Gaussian processes.

Enters: points as numbers from 0 to 1, means of measures there with their variances. Leaves: draws from what may be true
of the measures at any points.

Each measure has a process of its own with a Matérn kernel (5/2) of one length for each figure, fitted by marginal
likelihood; the variance of each mean is known from its games and stands on the diagonal, so that a point that was
played often counts for more (Rasmussen & Williams, Gaussian Processes for Machine Learning, 2006, chapters 2.3 and
5.4). By scikit-learn, which is an extra.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from rulelang.diagnostics import UsageError

Coordinates = tuple[float, ...]


def check_library() -> None:
    """Refuse to begin without scikit-learn.

    Raises:
        UsageError: says which extra has it.
    """
    try:
        import sklearn.gaussian_process  # noqa: F401
    except ImportError:
        raise UsageError("`lab tune` needs scikit-learn: `pip install 'rulelang[tune]'`") from None


def draws(
    points: Sequence[Coordinates],
    means: Sequence[float],
    variances: Sequence[float],
    asked: Sequence[Coordinates],
    count: int,
    seed: int,
) -> list[list[float]]:
    """Draw what a measure may be at all of `asked`, `count` times, given what it was at `points`."""
    import numpy
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern
    from threadpoolctl import threadpool_limits

    values = numpy.array(means)
    middle, spread = float(values.mean()), float(values.std()) or 1.0
    noise = numpy.array(variances) / spread**2
    lengths = [1.0] * len(points[0])
    kernel: Any = ConstantKernel(1.0, (1e-2, 1e2)) * Matern(lengths, (0.1, 20.0), nu=2.5)
    process = GaussianProcessRegressor(kernel, alpha=numpy.maximum(noise, 1e-8), random_state=seed)
    # One thread: matrices are small, and games use the cores.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)  # a bound of the kernel was met: a figure without effect
        process.fit(numpy.array(points), (values - middle) / spread)
        drawn = process.sample_y(numpy.array(asked), count, random_state=seed)
    values_drawn: list[list[float]] = (drawn.T * spread + middle).tolist()
    return values_drawn
