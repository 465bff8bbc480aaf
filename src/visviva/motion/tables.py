"""A trajectory as tables of xarray and pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.extras import require

if TYPE_CHECKING:
    import h5netcdf as h5netcdf  # by which xarray writes netCDF
    import h5py as h5py  # by which it is read
    import pandas
    import xarray

    from visviva.motion.trajectory import Trajectory


def to_xarray(run: Trajectory) -> xarray.Dataset:
    """q, v and tau over (run,) time and their names; units are coordinates beside the names."""
    (xr,) = require("to_xarray", "xarray")
    s = run.system
    lanes = ("run",) if run.is_batch else ()
    rows = {"q": ("coordinate", run.q), "v": ("velocity", run.v)}
    if run.tau is not None:
        rows["tau"] = ("velocity", run.tau)
    labels = {
        "time": ("time", run.t, {"units": "s"}),
        "coordinate": list(s.coordinate_names),
        "velocity": list(s.velocity_names),
        "coordinate_unit": ("coordinate", list(s.coordinate_units)),
        "velocity_unit": ("velocity", list(s.velocity_units)),
        **({"run": np.arange(len(run.q))} if lanes else {}),
    }
    variables = {k: ((*lanes, "time", axis), x) for k, (axis, x) in rows.items()}
    dataset: xarray.Dataset = xr.Dataset(variables, labels, {"system": s.name})
    return dataset


def to_pandas(run: Trajectory) -> pandas.DataFrame:
    """A column for every name; the index is t, or (run, t) of a batch."""
    (pd,) = require("to_pandas", "pandas")
    frame: pandas.DataFrame
    if run.is_batch:
        index = pd.MultiIndex.from_product([range(len(run.q)), run.t], names=["run", "t"])
    else:
        index = pd.Index(run.t, name="t")
    frame = pd.DataFrame(columns_of(run), index=index, columns=list(run.names))
    frame.attrs["units"] = dict(run.units)
    return frame


def columns_of(run: Trajectory) -> np.ndarray[Any, np.dtype[np.float64]]:
    """All numbers (rows, names): trajectories one after the other."""
    parts = [run.q, run.v] + ([] if run.tau is None else [run.tau])
    whole = np.concatenate(parts, axis=-1)
    return whole.reshape(-1, whole.shape[-1])
