"""67! (`original`, random player) as one would write it in plain Python: lists of lists of strings and numbers, one
game at a time, all four moves made to see which are legal. `run.py` compares the kernels with it.

`python lists.py ROWS COLS GAMES SEED` prints games, wins, the sum of the moves, the sum of their squares and the
seconds on a processor.
"""

import random
import sys
import time

BLANK = ""
OPERATORS = ["+", "-", "*"]
TARGET = 67
TILES_A_TURN = 2


def evaluate(first, operator, second):
    if operator == "+":
        return first + second
    if operator == "-":
        return first - second
    return first * second


def collapse(line):
    """The line after a move towards its start."""
    result = []
    i = 0
    while i < len(line):
        if line[i] == BLANK:
            i += 1
        elif (
            i + 2 < len(line)
            and isinstance(line[i], int)
            and line[i + 1] in OPERATORS
            and isinstance(line[i + 2], int)
        ):
            result.append(evaluate(line[i], line[i + 1], line[i + 2]))
            i += 3
        else:
            result.append(line[i])
            i += 1
    return result + [BLANK] * (len(line) - len(result))


def collapse_backwards(line):
    """The line after a move towards its end; operands keep their order."""
    result = []
    i = len(line) - 1
    while i >= 0:
        if line[i] == BLANK:
            i -= 1
        elif i >= 2 and isinstance(line[i], int) and line[i - 1] in OPERATORS and isinstance(line[i - 2], int):
            result.append(evaluate(line[i - 2], line[i - 1], line[i]))
            i -= 3
        else:
            result.append(line[i])
            i -= 1
    result.reverse()
    return [BLANK] * (len(line) - len(result)) + result


def transposed(board):
    return [list(column) for column in zip(*board)]


class Game:
    def __init__(self, rows, cols):
        self.board = [[BLANK] * cols for _ in range(rows)]

    def spawn(self):
        blanks = []
        for i, row in enumerate(self.board):
            for j, tile in enumerate(row):
                if tile == BLANK:
                    blanks.append((i, j))
        for _ in range(min(TILES_A_TURN, len(blanks))):
            i, j = blanks.pop(random.randrange(len(blanks)))
            if random.random() < 0.5:
                self.board[i][j] = random.choice(OPERATORS)
            else:
                self.board[i][j] = random.randint(0, 9)

    def legal_moves(self):
        """The boards after the moves that change the board."""
        columns = transposed(self.board)
        boards = [
            [collapse(row) for row in self.board],
            [collapse_backwards(row) for row in self.board],
            transposed([collapse(column) for column in columns]),
            transposed([collapse_backwards(column) for column in columns]),
        ]
        return [board for board in boards if board != self.board]

    def is_won(self):
        return any(TARGET in row for row in self.board)


def play(rows, cols):
    game = Game(rows, cols)
    moves = 0
    while True:
        game.spawn()
        legal = game.legal_moves()
        if not legal:
            return False, moves
        game.board = random.choice(legal)
        moves += 1
        if game.is_won():
            return True, moves


if __name__ == "__main__":
    rows, cols, games, seed = map(int, sys.argv[1:])
    random.seed(seed)
    begun = time.process_time()
    wins = total = squares = 0
    for _ in range(games):
        won, moves = play(rows, cols)
        wins += won
        total += moves
        squares += moves * moves
    print(games, wins, total, squares, time.process_time() - begun)
