# SPDX-License-Identifier: BSD-3-Clause
"""What the tables of all benchmarks share."""


def milliseconds(seconds):
    value = seconds * 1e3
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def peer_name(method):
    for prefix, name in (("lapack_", "LAPACK "), ("cusolver_", "cuSOLVER "), ("cublas_", "cuBLAS "),
                         ("cublas", "cuBLAS"), ("cub_", "CUB "), ("torch_", "PyTorch "), ("kokkoskernels_", "KokkosKernels "),
                         ("openblas_", "OpenBLAS "), ("openblas", "OpenBLAS"),
                         ("ceres_", "Ceres "), ("suitesparse_qr_", "SuiteSparseQR "),
                         ("suitesparse_qr", "SuiteSparseQR"), ("seed_", "")):
        if method.startswith(prefix):
            return (name + method[len(prefix):]).replace("_", " ")
    return method


def table(heading, rows):
    """Of Markdown, numbers to the right; nothing without rows."""
    if not rows:
        return []
    lines = [heading, ["---"] + ["---:"] * (len(heading) - 1)] + rows
    return ["", *("| " + " | ".join(cells) + " |" for cells in lines)]


def best_peers(ours, found):
    """Time and name of the best peer, and of a faster one whose result failed the check."""
    peers = []
    for key, mark in (("best_peer", ""), ("wrong_peer", "† ")):
        if key in ours:
            peer = found[ours[key]]
            peers.append(f"{mark}{milliseconds(peer['median'])} ({peer_name(peer['method'])})")
    return " ".join(peers) or "–"


def in_both_precisions(columns):
    """Headings, of which the first of each half says the precision."""
    return [f"{precision}: {column}" if column == columns[0] else column
            for precision in ("single", "double") for column in columns]


def power_of_two(length):
    """2ᵏ, or the number."""
    k = length.bit_length() - 1
    return f"2{str(k).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}" if length == 1 << k else str(length)


def percent(row, key):
    return f"{100 * row[key]:.0f} %" if row.get(key) is not None else "–"


def compared_cells(ours, found, *more):
    """Time of ours, what else there is of it, the best peer's time, and their ratio."""
    mark = "" if ours["check"] == "ok" else " (wrong)"
    return [milliseconds(ours["median"]) + mark, *more, best_peers(ours, found),
            f"{ours['ratio']:.2g}" if "ratio" in ours else "–"]
