"""67! (`original`, random player) as one would write it with numba: an array of numbers, one game at a time,
all four moves made to see which are legal. `run.py` compares the kernels with it.

`python arrays.py ROWS COLS GAMES SEED` prints games, wins, the sum of the moves, the sum of their squares and the
seconds on a processor, without the compilation.
"""

import sys
import time

import numpy as np
from numba import njit

# A tile is a number, a blank or an operator; these numbers do not occur.
BLANK = -(2**62)
PLUS = BLANK + 1
MINUS = BLANK + 2
TIMES = BLANK + 3
TARGET = 67
TILES_A_TURN = 2


@njit(cache=True)
def is_number(tile):
    return tile > TIMES or tile < BLANK


@njit(cache=True)
def spawn(board, blanks):
    rows, cols = board.shape
    count = 0
    for row in range(rows):
        for col in range(cols):
            if board[row, col] == BLANK:
                blanks[count, 0] = row
                blanks[count, 1] = col
                count += 1
    for _ in range(min(TILES_A_TURN, count)):
        place = np.random.randint(count)
        row, col = blanks[place]
        if np.random.random() < 0.5:
            board[row, col] = PLUS + np.random.randint(3)
        else:
            board[row, col] = np.random.randint(10)
        count -= 1
        blanks[place] = blanks[count]


@njit(cache=True)
def move(board, direction, moved):
    """Writes the board after a move (left, right, up, down); tells whether it differs."""
    if direction >= 2:
        board = board.T
        moved = moved.T
    if direction % 2 == 1:
        board = board[:, ::-1]
        moved = moved[:, ::-1]
    lines, length = board.shape
    changed = False
    for line in range(lines):
        start = 0
        end = 0
        while start < length:
            tile = board[line, start]
            taken = 1
            if start + 2 < length and is_number(tile):
                operator = board[line, start + 1]
                second = board[line, start + 2]
                if PLUS <= operator <= TIMES and is_number(second):
                    first = tile
                    if direction % 2 == 1:
                        first, second = second, first
                    if operator == PLUS:
                        tile = first + second
                    elif operator == MINUS:
                        tile = first - second
                    else:
                        tile = first * second
                    taken = 3
            if tile != BLANK:
                moved[line, end] = tile
                changed |= end != start or taken == 3
                end += 1
            start += taken
        moved[line, end:] = BLANK
    return changed


@njit(cache=True)
def play(rows, cols):
    board = np.full((rows, cols), BLANK)
    moved = np.empty((4, rows, cols), np.int64)
    legal = np.empty(4, np.int64)
    blanks = np.empty((rows * cols, 2), np.int64)
    moves = 0
    while True:
        spawn(board, blanks)
        count = 0
        for direction in range(4):
            if move(board, direction, moved[direction]):
                legal[count] = direction
                count += 1
        if count == 0:
            return False, moves
        board[:] = moved[legal[np.random.randint(count)]]
        moves += 1
        if (board == TARGET).any():
            return True, moves


@njit(cache=True)
def games_of(rows, cols, games, seed):
    np.random.seed(seed)
    wins = 0
    total = 0
    squares = 0
    for _ in range(games):
        won, moves = play(rows, cols)
        wins += won
        total += moves
        squares += moves * moves
    return wins, total, squares


if __name__ == "__main__":
    rows, cols, games, seed = map(int, sys.argv[1:])
    games_of(rows, cols, 1, seed)  # compiles
    begun = time.process_time()
    results = games_of(rows, cols, games, seed)
    print(games, *results, time.process_time() - begun)
