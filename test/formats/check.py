# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause
"""Results of `lyra run` as other programs read them.

check.py FOLDER BODY SURFACE [springs] opens the VTU files that FOLDER/BODY.pvd lists with VTK and with meshio,
and compares every number with the arrays of NumPy, bit by bit; then reads the OBJ files and the PC2
cache of SURFACE by their formats alone. Frames were saved as often as VTU and OBJ files. Springs
have no stress.
"""

import os
import struct
import sys
import xml.etree.ElementTree

import meshio
import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

POINT_FIELDS = {"displacement": 3, "velocity": 3, "reaction force": 3}
CELL_FIELDS = {"det F": 1, "strain energy density": 1, "stress": 6, "von Mises": 1}

if "springs" in sys.argv:
    CELL_FIELDS = {"det F": 1}

checks = 0


def require(condition, sentence):
    global checks
    checks += 1
    if not condition:
        sys.exit("formats: " + sentence)


def same(a, b, what):
    a, b = numpy.asarray(a), numpy.asarray(b)
    require(a.dtype == b.dtype, f"{what}: types {a.dtype} and {b.dtype}")
    require(a.shape == b.shape, f"{what}: shapes {a.shape} and {b.shape}")
    require(a.tobytes() == b.tobytes(), f"{what}: other bits")


def read_vtk(path):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    errors = []
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(path))
    reader.AddObserver("WarningEvent", lambda *_: errors.append(path))
    reader.Update()
    require(not errors, f"VTK complains about {path}")
    grid = reader.GetOutput()
    points = vtk_to_numpy(grid.GetPoints().GetData())
    arrays = []
    for data in grid.GetPointData(), grid.GetCellData():
        found = {}
        for i in range(data.GetNumberOfArrays()):
            found[data.GetArrayName(i)] = vtk_to_numpy(data.GetArray(i))
        arrays.append(found)
    time = grid.GetFieldData().GetArray("TimeValue")
    return points, arrays[0], arrays[1], vtk_to_numpy(time)[0], grid


def check_vtu(path, u, v, time):
    points, point, cell, file_time, grid = read_vtk(path)
    require(file_time == time, f"{path}: time {file_time}, not {time}")
    same(point["displacement"], u, path + ": displacement by VTK")
    same(point["velocity"], v, path + ": velocity by VTK")
    for names, found, count in (
        (POINT_FIELDS, point, len(u)),
        (CELL_FIELDS, cell, grid.GetNumberOfCells()),
    ):
        for name, width in names.items():
            require(name in found, f"{path}: no {name}")
            shape = (count, width) if width > 1 else (count,)
            require(found[name].shape == shape, f"{path}: {name} has shape {found[name].shape}")
            require(found[name].dtype == numpy.float64, f"{path}: {name} is not of doubles")
            require(numpy.isfinite(found[name]).all(), f"{path}: {name} is not finite")
    # the other reader sees the same bits
    mesh = meshio.read(path)
    same(mesh.points, points, path + ": points by meshio")
    for name in POINT_FIELDS:
        same(mesh.point_data[name], point[name], f"{path}: {name} by meshio")
    for name in CELL_FIELDS:
        same(numpy.concatenate(mesh.cell_data[name]), cell[name], f"{path}: {name} by meshio")
    connectivity = numpy.concatenate([block.data.ravel() for block in mesh.cells])
    same(
        connectivity.astype(numpy.int64),
        vtk_to_numpy(grid.GetCells().GetConnectivityArray()).astype(numpy.int64),
        path + ": cells",
    )
    if "stress" in CELL_FIELDS:
        check_mises(path, cell)
    return points


def check_mises(path, cell):
    s = cell["stress"]
    mises = numpy.sqrt(
        0.5 * ((s[:, 0] - s[:, 1]) ** 2 + (s[:, 1] - s[:, 2]) ** 2 + (s[:, 2] - s[:, 0]) ** 2)
        + 3 * (s[:, 3] ** 2 + s[:, 4] ** 2 + s[:, 5] ** 2)
    )
    scale = max(numpy.abs(s).max(), 1e-300)
    require(numpy.abs(mises - cell["von Mises"]).max() <= 1e-12 * scale, f"{path}: von Mises")


def check_series(folder, body):
    u = numpy.load(os.path.join(folder, "displacement.npy"))
    v = numpy.load(os.path.join(folder, "velocity.npy"))
    times = numpy.load(os.path.join(folder, "time.npy"))
    require(u.ndim == 3 and u.shape[2] == 3 and u.shape == v.shape, "shapes of the arrays")
    require(times.shape == u.shape[:1], "shape of time.npy")
    listed = xml.etree.ElementTree.parse(os.path.join(folder, body + ".pvd")).getroot()
    entries = listed.findall("./Collection/DataSet")
    require(len(entries) == len(times), f"{body}.pvd lists {len(entries)} of {len(times)} files")
    rest = None
    for frame, entry in enumerate(entries):
        require(float(entry.get("timestep")) == times[frame], f"{body}.pvd: time of {frame}")
        points = check_vtu(
            os.path.join(folder, entry.get("file")), u[frame], v[frame], times[frame]
        )
        rest = points - u[0] if frame == 0 else rest
        same(points, rest + u[frame], f"frame {frame}: positions")
    require(numpy.abs(u[-1]).max() > 0, "nothing moved")
    return len(entries)


def read_obj(path):
    with open(path) as lines:
        return numpy.array(
            [[float(x) for x in line.split()[1:4]] for line in lines if line.startswith("v ")]
        )


def check_surface(folder, surface, frames):
    with open(os.path.join(folder, surface + ".pc2"), "rb") as file:
        magic, version, points, start, rate, samples = struct.unpack("<12siiffi", file.read(32))
        cache = numpy.frombuffer(file.read(), dtype="<f4").reshape(samples, points, 3)
    require(magic == b"POINTCACHE2\0" and version == 1, "head of the PC2 file")
    require(samples == frames and start == 0 and rate == 1, "numbers of the PC2 file")
    names = sorted(n for n in os.listdir(os.path.join(folder, "obj")) if n.startswith(surface))
    require(len(names) == frames, f"{len(names)} OBJ files, not {frames}")
    for frame, name in enumerate(names):
        path = os.path.join(folder, "obj", name)
        positions = read_obj(path)
        same(positions.astype("<f4"), cache[frame], f"{name} and the PC2 cache")
        mesh = meshio.read(path)
        same(numpy.asarray(mesh.points, dtype=float), positions, f"{name} by meshio")
        reader = vtk.vtkOBJReader()
        reader.SetFileName(path)
        reader.Update()
        require(reader.GetOutput().GetNumberOfPoints() == points, f"{name} by VTK")


def main():
    folder, body, surface = sys.argv[1:4]
    frames = check_series(folder, body)
    check_surface(folder, surface, frames)
    print(f"{folder}: {frames} frames, {checks} comparisons, all equal")


main()
