// What the engine tells the page, as types for `tsc`; see web/src.

type Place = [row: number, col: number];
/** 0 is an empty cell. */
type CellData = 0 | [text: string, tone: string, mark?: 'dealt' | 'made'];
type Slide = [fromRow: number, fromCol: number, toRow: number, toCol: number];
type Facts = [name: string, value: string][];
type Result = 'won' | 'lost' | 'drawn';

interface Position {
  cells: CellData[][];
  facts: Facts;
  slides: Slide[];
  last: string | null;
}

interface View extends Position {
  seat: number;
  legal: string[];
  sources: Place[];
  moves: number;
  outcome: { result: Result; moves: number } | null;
  whyOver: string;
  buttons: string[];
}

type Scale = 'chance' | 'margin' | 'points' | 'own';

interface MoveValue {
  name: string;
  path: [Place, Place] | null;
  value: number | null;
  decided: 'won' | 'lost' | null;
}

interface Values {
  scale: Scale;
  moves: MoveValue[];
  count: number;
}

interface Hint {
  kind: 'choice' | 'solution' | 'unsolvable';
  name: string;
  path: [Place, Place] | null;
  moves: number | null;
  makes: string[];
  wins: boolean;
  values: Values | null;
}

interface Param {
  name: string;
  kind: 'bool' | 'int' | 'float' | 'choice' | 'text';
  min?: number | null;
  max?: number | null;
  choices?: string[];
  default: string | null;
  main: boolean;
  help: string;
}

interface PlayerEntry {
  name: string;
  summary: string;
  params: Param[];
}

interface Lesson {
  text: string;
  cell: string;
  seed: string;
}

interface GameEntry {
  name: string;
  aliases: string[];
  summary: string;
  seats: number;
  params: Param[];
  players: PlayerEntry[];
  presets: { name: string; params: Record<string, string> }[];
  levels?: { number: number; start: number; goal: number; moves: number; buttons: number }[];
  opening: string;
  solves: boolean;
  sweeps: { name: string; values: string[] }[];
  quick: string[];
  lessons: Lesson[];
}

/** A game that is played: `players` are texts as cells write them, '' is the strongest that fits. */
interface Setup {
  game: string;
  params: Record<string, string>;
  players: string[];
  seat: number;
  seed: string;
  index: string;
  /** The number of the lesson, from 0. */
  lesson?: number;
  /** The date of a daily game. */
  daily?: string;
}

/** A game and the moves made in it. */
interface Played {
  setup: Setup;
  moves: string[];
}

/** A game as the worker of Play and Watch is told it. */
interface GameText {
  spec: string;
  seed: string;
  index: string;
  moves: string[];
}

interface CellState {
  games: number;
  gamesMax: number;
  done: boolean;
  error: string | null;
  winPct: number | null;
  lo: number | null;
  hi: number | null;
  movesMean: number | null;
}

interface Progress {
  games: number;
  gamesMax: number;
  moves: number;
  work: number;
  left: number | null;
  cells: CellState[];
}

interface Description {
  name: string;
  tables: { title: string; axis: string | null }[];
  cells: { table: number; key: string; label: string; x: number | null; series: string }[];
}

interface Report {
  table: string;
  plots: { file: string; title: string; svg: string }[];
  page: string;
}

interface Batch {
  id: number;
  cell: number;
  start: string;
  end: string;
}

/** A batch that was played, or why it was not. */
interface PlayedBatch {
  id: number;
  tally?: string;
  milliseconds?: number;
  reason?: string;
}

type Chosen = { name: string } | { useless: Place } | null;
