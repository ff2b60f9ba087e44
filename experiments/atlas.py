"""The atlas of 67!: makes docs/atlas.md's tables and pictures.

    python experiments/atlas.py refine    # experiments/atlas-refined.toml from results/atlas
    python experiments/atlas.py page      # tables and pictures of docs/atlas.md from these and results/atlas-refined
    python experiments/atlas.py page --check   # are the tables up to date?

Needs NumPy, polars and scikit-learn; the pictures need matplotlib. All intervals are 95 %.
"""

import argparse
import functools
import math
import re
import sys
from pathlib import Path

import numpy as np
import polars as pl

ROOT = Path(__file__).resolve().parent.parent
RULES = ["original", "gapless", "merge-pairs", "merge-runs", "bounded"]
OPERATORS = ["+-*", "+-"]
SETTING = ["rules", "rows", "cols", "operators", "operator_rate", "tiles_per_turn"]
Z = 1.959964


@functools.cache
def cells(name: str) -> pl.DataFrame:
    """The rows of results/NAME/cells.csv, which may be compressed, with `size` ("6x7"), `area` (cells of the board), the natural
    logarithm of the mean moves (`log_moves`), and the log odds of a win with their standard error
    (`logit`, `logit_se`)."""
    file = next((ROOT / "results" / name).glob("cells.csv*"))
    rows = pl.read_csv(file, infer_schema_length=None)
    rows = rows.with_columns(
        size=pl.format("{}x{}", "rows", "cols"),
        area=pl.col("rows") * pl.col("cols"),
        log_moves=pl.col("moves_mean").log(),
        split=pl.col("method") == "splitting" if "method" in rows.columns else pl.lit(False),
    )
    # Counted wins: Haldane and Anscombe's half a win and half a loss more, so that 0 wins have log
    # odds, too. Splitting: the estimate, and the width of its interval.
    wins = pl.col("wins") + 0.5
    losses = pl.col("games") - pl.col("wins") + 0.5
    rate = pl.col("win_pct") / 100
    width = (pl.col("win_pct_hi") / pl.max_horizontal("win_pct_lo", pl.lit(1e-12))).log() / (2 * Z)
    return rows.with_columns(
        logit=pl.when("split").then((rate / (1 - rate)).log()).otherwise((wins / losses).log()),
        logit_se=pl.when("split").then(width).otherwise((1 / wins + 1 / losses).sqrt()),
    )


# --- cells that the page needs besides ------------------------------------------------------------

THRESHOLD_SIZES = ["5x5", "6x6", "6x7", "7x7", "8x8", "9x9", "10x10"]
# Tiles that have a best weight, and the weights near it, for a parabola.
TOPS = {"*": (0.4, 3), "7": (1, 27)}
# How far from the atlas's own estimate rates are played, and how densely: its rates are 0.05 apart, too
# far for a straight line in log odds.
REACH, STEP = 0.03, 0.01
# Preset, operator rate, published wins and games; rates played, and games of each.
OUTLIERS = [("gapless", 0.5, 167, 10_000), ("merge-runs", 0.67, 687, 5_000)]
OUTLIER_GAMES = {"gapless": 60_000, "merge-runs": 10_000}
OUTLIER_RATES = {"gapless": [0.42, 0.44, 0.46, 0.48, 0.5], "merge-runs": [0.66, 0.67, 0.68, 0.69]}


def crossing(data: pl.DataFrame) -> float | None:
    """About the operator rate at which half of the games are won, from the rates of the atlas."""
    rows = data.sort("operator_rate").to_dicts()
    for low, high in zip(rows, rows[1:]):
        if low["logit"] < 0 <= high["logit"]:
            share = -low["logit"] / (high["logit"] - low["logit"])
            return low["operator_rate"] + share * (high["operator_rate"] - low["operator_rate"])
    return None


def zipped(title: str, keys: list[str], rows: list[list[str]], more: list[str]) -> list[str]:
    """A table of an experiment whose `keys` advance together."""
    text = ["", "[[table]]", f'title = "{title}"', *more, "zip = [[" + ", ".join(f'"{key}"' for key in keys) + "]]"]
    return text + [f"{key} = [" + ", ".join(row[at] for row in rows) + "]" for at, key in enumerate(keys)]


def refine() -> str:
    """An experiment with the cells that the page needs besides the sweep: rates around each threshold and
    around the published outliers."""
    text = [
        "#:schema tilelab.schema.json",
        "# Made by `python experiments/atlas.py refine`: rates around the thresholds and the published outliers of docs/atlas.md.",
        'name = "atlas-refined"',
        "seed = 68",
        "",
        "[defaults]",
        'game = "sixty-seven"',
        'player = "random"',
    ]
    around = []
    for size in THRESHOLD_SIZES:
        for tiles in range(1, 6):
            at = crossing(threshold_cells(cells("atlas"), size, tiles))
            if at is not None:
                steps = round(REACH / STEP)
                rates = [round(round(at / STEP) * STEP + step * STEP, 4) for step in range(-steps, steps + 1)]
                around += [[f'"{size}"', str(tiles), f"{rate:g}"] for rate in rates]
    rules = ['rules = "merge-runs"', 'operators = "+-*"', "games = 1000"]
    text += zipped("thresholds", ["size", "tiles_per_turn", "operator_rate"], around, rules)
    for rules, *_ in OUTLIERS:
        rates = ", ".join(f"{rate:g}" for rate in OUTLIER_RATES[rules])
        text += ["", "[[table]]", f'title = "outlier: {rules}"', f'rules = "{rules}"', 'operators = "+-*"', 'size = "6x7"', "tiles_per_turn = 2"]
        text += [f"operator_rate = [{rates}]", f"games = {OUTLIER_GAMES[rules]}"]
    return "\n".join(text) + "\n"


def threshold_cells(data: pl.DataFrame, size: str, tiles: int) -> pl.DataFrame:
    return data.filter(
        (pl.col("rules") == "merge-runs") & (pl.col("operators") == "+-*") & (pl.col("target") == 67)
        & (pl.col("size") == size) & (pl.col("tiles_per_turn") == tiles)
    )


# --- figures --------------------------------------------------------------------------------------


def percent(rate: float) -> str:
    """A rate in percent, to two significant digits, or to a tenth above 10 and below 90."""
    if 10 <= rate <= 99.9:
        return f"{rate:.1f}"
    if rate > 99.9:
        return f"{rate:.4g}"
    if rate == 0 or rate >= 1e-4:
        return f"{rate:#.2g}".rstrip(".") if rate else "0"
    factor, power = f"{rate:.1e}".split("e")
    return f"{factor}·10" + str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def rate_text(row: dict) -> str:
    return f"{percent(row['win_pct'])} [{percent(row['win_pct_lo'])}, {percent(row['win_pct_hi'])}]"


def interval(value: float, se: float, digits: int = 2) -> str:
    return f"{value:.{digits}f} [{value - Z * se:.{digits}f}, {value + Z * se:.{digits}f}]"


def multiple(value: float) -> str:
    """A ratio, to two significant digits, or three below 10."""
    digits = (1 if value >= 10 else 2) - math.floor(math.log10(value))
    return f"{round(value, digits):,.{max(digits, 0)}f}"


def table(head: list[str], rows: list[list[str]], left: int = 1) -> str:
    """A Markdown table; the first `left` columns are text."""
    marks = ["---"] * left + ["---:"] * (len(head) - left)
    return "\n".join("| " + " | ".join(cell) + " |" for cell in [head, marks, *rows])


def random_play() -> pl.DataFrame:
    return cells("atlas").filter(pl.col("target") == 67)


def setting(row: dict) -> str:
    operators = " ".join(row["operators"])
    return f"{row['size']} `{row['rules']}`, {operators}, rate {row['operator_rate']:g}, {row['tiles_per_turn']} a turn"


def counts() -> str:
    """Cells and games of both experiments."""
    rows = []
    for name, player in [("atlas", "random"), ("atlas-refined", "random"), ("atlas-curves", "random"), ("weights", "random, greedy")]:
        data = cells(name)
        rows.append([f"`{name}`", player, f"{len(data):,}", f"{data['games'].sum():,}", f"{data['wins'].sum():,}"])
    return table(["experiment", "player", "cells", "games", "won"], rows, 2)


def local_fit(data: pl.DataFrame, over: str = "operator_rate") -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """A parabola through log odds over a column, by maximum likelihood of the counted wins
    (iteratively reweighted least squares): coefficients in powers of (value - middle), their
    covariance, the values, and the middle.

    Where the wins scatter about the parabola more than by chance, the covariance is multiplied by chi
    square over its degrees of freedom, so that the lack of fit is part of every interval."""
    rates = data[over].to_numpy()
    wins = data["wins"].to_numpy().astype(float)
    games = data["games"].to_numpy().astype(float)
    middle = rates.mean()
    terms = np.vander(rates - middle, 3, increasing=True)
    fit = np.zeros(3)
    fit[0] = math.log((wins.sum() + 0.5) / (games.sum() - wins.sum() + 0.5))
    for _ in range(100):
        share = 1 / (1 + np.exp(-np.clip(terms @ fit, -30, 30)))
        weight = np.maximum(games * share * (1 - share), 1e-9)
        step = np.linalg.solve(terms.T @ (terms * weight[:, None]), terms.T @ (wins - games * share))
        fit = fit + step
        if np.abs(step * [1, REACH, REACH**2]).max() < 1e-10:
            break
    covariance = np.linalg.inv(terms.T @ (terms * weight[:, None]))
    freedom = max(len(rates) - 3, 1)
    chi_square = ((wins - games * share) ** 2 / weight).sum()
    return fit, covariance * max(1, chi_square / freedom), rates, middle


def rate_at(data: pl.DataFrame, logit: float, logit_se: float = 0) -> tuple[float, float] | None:
    """The operator rate at which the fit has these log odds, and its standard error; `None` outside
    the rates played."""
    fit, covariance, rates, middle = local_fit(data)
    grid = np.linspace(rates.min(), rates.max(), 2001) - middle
    values = np.vander(grid, 3, increasing=True) @ fit - logit
    cross = np.flatnonzero((values[:-1] < 0) & (values[1:] >= 0))
    if len(cross) == 0:
        return None
    at = grid[cross[0]] + (grid[1] - grid[0]) * values[cross[0]] / (values[cross[0]] - values[cross[0] + 1])
    terms = np.array([1, at, at**2])
    slope = fit[1] + 2 * fit[2] * at
    return middle + at, math.sqrt(terms @ covariance @ terms + logit_se**2) / slope


def thresholds() -> str:
    """Where random play begins to win: the rate with half of the games won, by size and tiles."""
    data = cells("atlas-refined").filter(pl.col("table") == "thresholds")
    rows = []
    for size in THRESHOLD_SIZES:
        row = [size]
        for tiles in range(1, 6):
            group = threshold_cells(data, size, tiles)
            if group.is_empty():
                row.append("–")
                continue
            fit, covariance, rates, middle = local_fit(group)
            terms = (rates.max() - middle) ** np.arange(3)
            end = terms @ fit - Z * math.sqrt(terms @ covariance @ terms)
            found = rate_at(group, 0)
            # A rate that stays at half the games has no threshold that could be told.
            best = group.sort("win_pct").row(-1, named=True)
            row.append(interval(*found, 4) if found and end > 0 else f"none: at most {rate_text(best)} %")
        rows.append(row)
    return table(["size", "1 tile a round", "2", "3", "4", "5"], rows)


def best_rates() -> str:
    """The operator rate at which random play wins most, from the curves of `results/atlas-curves/curve.csv.gz`: the root
    of the slope, interpolated between its neighbours, with the slope's standard error."""
    points = pl.read_csv(ROOT / "results" / "atlas-curves" / "curve.csv.gz").drop_nulls("win_pct_slope")
    games = cells("atlas-curves")["games"].max()
    rows = []
    for (cell,), curve in points.group_by("cell", maintain_order=True):
        rules, height, width = re.search(r"rules=([^,]*),rows=(\d+),cols=(\d+)", cell).groups()
        at = curve.sort("operator_rate").to_dicts()
        low, high = next((a, b) for a, b in zip(at, at[1:]) if a["win_pct_slope"] > 0 >= b["win_pct_slope"])
        bend = (high["win_pct_slope"] - low["win_pct_slope"]) / (high["operator_rate"] - low["operator_rate"])
        best = low["operator_rate"] - low["win_pct_slope"] / bend
        near = min(low, high, key=lambda row: abs(row["operator_rate"] - best))
        rows.append([
            f"`{rules}`", f"{height}x{width}", interval(best, near["win_pct_slope_se"] / -bend, 3),
            f"{near['win_pct']:.3f} [{near['win_pct_lo']:.3f}, {near['win_pct_hi']:.3f}]", f"{near['effective_games'] / games:.1f}",
        ])
    return table(["preset", "size", "best operator rate", "win rate there, %", "times the games of a cell"], rows, 2)


def by_operators() -> str:
    """What multiplication adds: win rates with and without it, by size."""
    data = random_play().filter(
        (pl.col("rules") == "original") & (pl.col("operator_rate") == 0.5) & (pl.col("tiles_per_turn") == 2)
    )
    rows = []
    for size in ["3x3", "4x4", "5x5", "6x7", "8x8", "10x10"]:
        at = {row["operators"]: row for row in data.filter(pl.col("size") == size).to_dicts()}
        ratio = at["+-*"]["logit"] - at["+-"]["logit"]
        se = math.hypot(at["+-*"]["logit_se"], at["+-"]["logit_se"])
        low, middle, high = (math.exp(ratio + z * se) for z in [-Z, 0, Z])
        rows.append([size, rate_text(at["+-*"]), rate_text(at["+-"]), f"{multiple(middle)} [{multiple(low)}, {multiple(high)}]"])
    return table(["size", "with \\*, %", "without, %", "ratio of the odds"], rows)


def outliers() -> str:
    """The two published rates that lie furthest from ours, random play at the same rate, and the operator
    rate at which it would win so often, by a local fit through rates nearby."""
    rows = []
    for rules, rate, wins, games in OUTLIERS:
        data = cells("atlas-refined").filter(pl.col("table") == f"outlier: {rules}")
        share = wins / games
        logit = math.log(share / (1 - share))
        se = math.sqrt(1 / wins + 1 / (games - wins))
        here = data.filter(pl.col("operator_rate") == rate).row(0, named=True)
        best = data.sort("win_pct").row(-1, named=True)
        found = rate_at(data, logit, se) if best["win_pct_hi"] > 100 * share else None
        needed = f"none of those played: at most {rate_text(best)}, at rate {best['operator_rate']:g}" if found is None else interval(*found, 4)
        low, high = (1 / (1 + math.exp(-logit - z * se)) for z in [-Z, Z])
        rows.append([f"6x7 `{rules}`, rate {rate:g}", f"{100 * share:.2f} [{100 * low:.2f}, {100 * high:.2f}]", rate_text(here), needed])
    return table(["setting", "published, %", "random play, %", "operator rate with the published figure"], rows)


def targets() -> str:
    """Odds of reaching 21 and 100 as multiples of those of 67: medians over the cells in common."""
    data = cells("atlas").filter(~pl.col("split"))
    base = data.filter(pl.col("target") == 67)
    rows = []
    for operators in OPERATORS:
        for target in [21, 100]:
            both = data.filter((pl.col("target") == target) & (pl.col("operators") == operators)).join(base, on=SETTING, suffix="_67")
            both = both.filter((pl.col("wins") >= 20) & (pl.col("wins_67") >= 20))
            ratio = (both["logit"] - both["logit_67"]).exp()
            low, middle, high = (ratio.quantile(q, "linear") for q in [0.1, 0.5, 0.9])
            rows.append([" ".join(operators), str(target), f"{len(both)}", f"{middle:.2f}", f"{low:.2f} to {high:.2f}"])
    return table(["operators", "target", "cells", "median odds, times those of 67", "middle 80 % of the cells"], rows)


def weight(text: str, tile: str) -> float:
    """The weight of a tile beside others of weight 1, from the text of a column: `+:5;-:5;*:2`, `+-*` or `0;1;7:3`."""
    entries = text.split(";") if ";" in text else list(text)
    weights = {name: float(number or 1) for name, _, number in (entry.partition(":") for entry in entries)}
    others = [number for name, number in weights.items() if name != tile]
    return weights.get(tile, 0.0) / others[0]


def weighted(tile: str) -> pl.DataFrame:
    """The cells of `weights` in which the weight of a tile varies, with that weight."""
    data = cells("weights").filter(pl.col("table").str.contains(f" {tile},", literal=True))
    texts = data["operators" if tile == "*" else "numbers"]
    return data.with_columns(weight=pl.Series([weight(text, tile) for text in texts])).sort("weight")


def by_weight(tile: str) -> str:
    """Win rates and moves by the weight of a tile, for both sizes and players."""
    data = weighted(tile)
    players = [(player, size) for player in data["player"].unique(maintain_order=True).sort(descending=True) for size in ["5x5", "6x7"]]
    head = [f"weight of {tile}".replace("*", "\\*")]
    for player, size in players:
        head += [f"`{player}`, {size}: won, %", "moves"]
    rows = []
    for (at,), group in data.group_by("weight", maintain_order=True):
        row = [f"{at:g}"]
        for player, size in players:
            found = group.filter((pl.col("player") == player) & (pl.col("size") == size)).to_dicts()
            row += [rate_text(found[0]), interval(found[0]["moves_mean"], found[0]["moves_mean_se"], 1)] if found else ["", ""]
        rows.append(row)
    return table(head, rows)


def best_weights() -> str:
    """The weight with which random play wins most, for tiles where it is not 0: the top of a parabola through log odds
    over the logarithm of the weight."""
    rows = []
    for tile, (low, high) in TOPS.items():
        for size in ["5x5", "6x7"]:
            data = weighted(tile).filter((pl.col("player") == "random") & (pl.col("size") == size) & pl.col("weight").is_between(low, high))
            fit, covariance, _, middle = local_fit(data.with_columns(log_weight=pl.col("weight").log()), "log_weight")
            top = -fit[1] / (2 * fit[2])
            slope = np.array([0, -1 / (2 * fit[2]), fit[1] / (2 * fit[2] ** 2)])
            se = math.sqrt(slope @ covariance @ slope)
            ends = [math.exp(middle + top + z * se) for z in [0, -Z, Z]]
            others = 2 if tile == "*" else 9
            shares = [100 * end / (others + end) for end in ends]
            rows.append([tile.replace("*", "\\*"), size, "{:.2f} [{:.2f}, {:.2f}]".format(*ends), "{:.1f} [{:.1f}, {:.1f}]".format(*shares)])
    return table(["tile", "size", "best weight, others 1", "its share of operators or digits, %"], rows, 2)


# --- laws -----------------------------------------------------------------------------------------


def design(data: pl.DataFrame) -> np.ndarray:
    """The terms of both laws: 1, a = ln(cells of the board), r = rate − ½, ln(tiles), and products."""
    area = np.log(data["area"].to_numpy())
    rate = data["operator_rate"].to_numpy() - 0.5
    tiles = np.log(data["tiles_per_turn"].to_numpy())
    return np.column_stack([np.ones(len(area)), area, area**2, rate, rate**2, area * rate, area * rate**2, tiles, tiles * area, tiles * rate])


# Cells from which the widths of a process are chosen; its errors are those on other cells.
WIDTH_CELLS = 120


def process(data: pl.DataFrame, left: np.ndarray, noise: np.ndarray, widths: np.ndarray):
    """A function that predicts what the law leaves at some cells (a mask) from what it leaves at others: a Gaussian
    process over ln(cells of the board), the rate and ln(tiles), with the variance of each cell's own estimate.
    Its kernel is fitted to the cells `widths`."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    places = np.column_stack([np.log(data["area"]), 5 * data["operator_rate"], np.log(data["tiles_per_turn"])])
    kernel = ConstantKernel(1.0, (1e-3, 1e2)) * Matern([1.0, 1.0, 1.0], (0.1, 30), nu=2.5) + WhiteKernel(1e-2, (1e-6, 1))
    kernel = GaussianProcessRegressor(kernel, alpha=noise[widths]).fit(places[widths], left[widths]).kernel_

    def predict(known: np.ndarray, wanted: np.ndarray, values: np.ndarray) -> np.ndarray:
        fitted = GaussianProcessRegressor(kernel, alpha=noise[known], optimizer=None).fit(places[known], values[known])
        return fitted.predict(places[wanted])

    return predict


def law(value: str, noise: pl.Expr, kept: pl.Expr) -> tuple[list[list[str]], dict[str, tuple[np.ndarray, np.ndarray]]]:
    """Fits `value`, whose estimates have the variance `noise`, for each preset and set of operators by the law (least
    squares) and by a process on what the law leaves; returns the rows of the table and, for each preset, the law's
    values and residuals of the cells left out.

    Every fifth cell is left out of the fit (folds by the row's number), five times, so that each residual is that of
    a cell that the fit has not seen. The last columns leave out all boards of 81 cells and more instead."""
    rows = []
    residuals: dict[str, list] = {}

    def error(left: np.ndarray) -> str:
        return f"{np.sqrt((left**2).mean()):.2f}"

    for rules in RULES:
        for operators in OPERATORS:
            data = random_play().filter((pl.col("rules") == rules) & (pl.col("operators") == operators) & kept)
            terms = design(data)
            found = data[value].to_numpy()

            def by_law(known: np.ndarray) -> np.ndarray:
                return terms @ np.linalg.lstsq(terms[known], found[known], rcond=None)[0]

            small = data["area"].to_numpy() < 81
            widths = np.flatnonzero(small)[np.random.default_rng(68).permutation(small.sum())[:WIDTH_CELLS]]
            judged = np.ones(len(found), bool)
            judged[widths] = False
            predict = process(data, found - by_law(small), data.select(noise).to_series().to_numpy(), widths)
            fold = np.random.default_rng(67).permutation(len(found)) % 5
            out, better = np.empty((2, len(found)))
            for number in range(5):
                known, wanted = fold != number, fold == number
                told = by_law(known)
                out[wanted] = told[wanted]
                better[wanted] = told[wanted] + predict(known, wanted, found - told)
            told = by_law(small)
            beyond = (found - told)[~small]
            left = found - out
            explained = 1 - (left**2).sum() / ((found - found.mean()) ** 2).sum()
            rows.append([
                f"`{rules}`, {' '.join(operators)}", f"{len(found)}", f"{explained:.3f}", error(left[judged]), error((found - better)[judged]),
                error(beyond), error(beyond - predict(small, ~small, found - told)),
            ])
            residuals.setdefault(rules, []).append((out, left))
    joined = {rules: tuple(np.concatenate(parts) for parts in zip(*pairs)) for rules, pairs in residuals.items()}
    return rows, joined


# Rates of 0 and 1 have no log odds worth fitting.
LOGIT_KEPT = (pl.col("wins") >= 10) & (pl.col("games") - pl.col("wins") >= 10)


@functools.cache
def law_of_wins() -> tuple[list[list[str]], dict[str, tuple[np.ndarray, np.ndarray]]]:
    return law("logit", pl.col("logit_se") ** 2, LOGIT_KEPT)


def laws() -> str:
    """How well laws and processes tell cells that they have not seen: r.m.s. errors."""
    wins, _ = law_of_wins()
    moves, _ = law("log_moves", (pl.col("moves_mean_se") / pl.col("moves_mean")) ** 2, ~pl.col("split"))
    rows = [[*won, *moved[3:]] for won, moved in zip(wins, moves)]
    columns = ["law", "process", "beyond 80: law", "process"]
    return table(["preset", "wins: cells", "R²", *columns, "moves: law", *columns[1:]], rows)


# --- pictures -------------------------------------------------------------------------------------


def pictures(folder: Path) -> None:
    """The two pictures of the page, as SVG."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"font.size": 9, "svg.hashsalt": "tilelab", "svg.fonttype": "none", "savefig.dpi": 160, "axes.spines.top": False, "axes.spines.right": False})
    import matplotlib.pyplot as plt
    from matplotlib.colors import LogNorm

    def save(figure, name: str) -> None:
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None}, bbox_inches="tight", facecolor="white")
        plt.close(figure)

    data = random_play().filter(pl.col("operators") == "+-*")
    sizes = data.sort("area", "rows")["size"].unique(maintain_order=True).to_list()
    rates = sorted(data["operator_rate"].unique().to_list())
    figure, axes = plt.subplots(len(RULES), 5, figsize=(9.5, 11), sharex=True, sharey=True, layout="constrained")
    for row, rules in enumerate(RULES):
        for tiles in range(1, 6):
            group = data.filter((pl.col("rules") == rules) & (pl.col("tiles_per_turn") == tiles))
            grid = np.full((len(sizes), len(rates)), np.nan)
            for size, rate, won in group.select("size", "operator_rate", "win_pct").iter_rows():
                grid[sizes.index(size), rates.index(rate)] = max(won, 0.001)
            axis = axes[row, tiles - 1]
            image = axis.imshow(grid, norm=LogNorm(0.001, 100), cmap="viridis", aspect="auto", origin="lower")
            axis.set_xticks(range(0, len(rates), 2), [f"{rate:g}" for rate in rates[::2]])
            axis.set_yticks(range(0, len(sizes), 2), sizes[::2])
            if row == 0:
                axis.set_title(f"{tiles} tile{'s' if tiles > 1 else ''} a round")
            if row == len(RULES) - 1:
                axis.set_xlabel("operator rate")
            if tiles == 1:
                axis.set_ylabel(rules)
    figure.colorbar(image, ax=axes, shrink=0.4, label="games won by random play, % (0.001 and less: darkest)")
    save(figure, "atlas_random")

    figure, axes = plt.subplots(1, 5, figsize=(9.5, 2.6), sharey=True, layout="constrained")
    for axis, (rules, (fitted, left)) in zip(axes, law_of_wins()[1].items()):
        axis.scatter(fitted, left, s=4, c="#0072b2", alpha=0.5, linewidths=0, rasterized=True)
        axis.axhline(0, color="#888888", linewidth=1)
        axis.set_title(rules)
        axis.set_xlabel("predicted log odds")
    axes[0].set_ylabel("measured − predicted")
    save(figure, "atlas_law")


# --- the page -------------------------------------------------------------------------------------

TABLES = {
    "counts": counts, "thresholds": thresholds, "best": best_rates, "operators": by_operators, "targets": targets, "outliers": outliers,
    "laws": laws, "multiplication": lambda: by_weight("*"), "best-weights": best_weights, "zeros": lambda: by_weight("0"), "sevens": lambda: by_weight("7"),
}


def page(check: bool) -> int:
    """Writes the tables between the markers of docs/atlas.md, or says whether they are up to date."""
    file = ROOT / "docs" / "atlas.md"
    old = file.read_text()
    new = old
    for name, make in TABLES.items():
        marked = re.compile(rf"(<!-- atlas:{name} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not marked.search(new):
            print(f"{file}: there is no <!-- atlas:{name} --> … <!-- end -->", file=sys.stderr)
            return 2
        made = make()
        new = marked.sub(lambda match: match[1] + made + "\n" + match[2], new)
    if check:
        if new != old:
            print(f"{file}: the tables are stale; run `python experiments/atlas.py page`", file=sys.stderr)
        return int(new != old)
    pictures(ROOT / "docs" / "pictures")
    file.write_text(new)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("refine", help="write experiments/atlas-refined.toml")
    pager = verbs.add_parser("page", help="write the tables and pictures of docs/atlas.md")
    pager.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the tables are stale")
    args = parser.parse_args()
    if args.verb == "refine":
        (ROOT / "experiments" / "atlas-refined.toml").write_text(refine())
        return 0
    return page(args.check)


if __name__ == "__main__":
    sys.exit(main())
