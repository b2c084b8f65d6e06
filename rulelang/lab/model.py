"""Gaussian-process models of measures, for points that were played little or not at all.

Enters: points as numbers from 0 to 1, means of measures there with their variances. Leaves: draws from the posterior at
any points.

Each measure has a process of its own with a Matérn kernel (5/2) of one length scale for each figure, fitted by marginal
likelihood; the variance of each mean is known from its games and is added to the diagonal, so that points with more
games count for more (Rasmussen & Williams, Gaussian Processes for Machine Learning, 2006, chapters 2.3 and 5.4). It
needs the extra with scikit-learn.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from rulelang.diagnostics import UsageError
from rulelang.resources import installing

Coordinates = tuple[float, ...]


def check_library() -> None:
    """Check that scikit-learn is installed.

    Raises:
        UsageError: it is not; the message names the extra.
    """
    try:
        import sklearn.gaussian_process  # noqa: F401
    except ImportError:
        raise UsageError(f"`lab tune` needs scikit-learn: {installing('tune')}") from None


def draws(
    points: Sequence[Coordinates],
    means: Sequence[float],
    variances: Sequence[float],
    at: Sequence[Coordinates],
    count: int,
    seed: int,
) -> list[list[float]]:
    """Draw a measure's values at the points `at` from its posterior, `count` times.

    Args:
        points, means, variances: what was measured. at: the points of the draws.

    Returns:
        `count` rows with a value for each point of `at`.
    """
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
        drawn = process.sample_y(numpy.array(at), count, random_state=seed)
    values_drawn: list[list[float]] = (drawn.T * spread + middle).tolist()
    return values_drawn
