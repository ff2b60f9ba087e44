// What the engine tells the page, as types for `tsc`; see web/src.

type Place = [row: number, col: number];
/** 0 is a blank cell. */
type CellData = 0 | [short: string, look: string, full?: string];
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
  choices: [name: string, label: string, key: string][];
  legal: string[];
  sources: Place[];
  moves: number;
  outcome: Result | null;
  whyOver: string;
  heard: string;
  how: string;
}

interface Values {
  title: string;
  note: string;
  isSigned: boolean;
  path: [Place, Place] | null;
  rows: { name: string; text: string; left: number; width: number; isBest?: boolean }[];
}

interface Hint {
  name: string | null;
  path: [Place, Place] | null;
  text: string;
}

interface Review {
  chart: string;
  mistakes: { at: number; text: string }[];
  squares: string;
  sharpest: string;
  player: string;
  result: Result;
  moves: number;
}

/** How a game ended. */
interface Ended {
  result: Result;
  moves: number;
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

interface GameEntry {
  name: string;
  aliases: string[];
  title: string;
  seats: number;
  params: Param[];
  players: PlayerEntry[];
  presets: { name: string; params: Record<string, string> }[];
  levels?: { number: number; start: number; goal: number; moves: number; buttons: number }[];
  opening: Setup;
  daily: Setup;
  chances: boolean;
  solves: boolean;
  sweeps: { name: string; values: string[] }[];
  quick: string[];
  lessons: { text: string; setup: Setup }[];
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

/** A game that is kept, with those before it that can be brought back. */
interface Kept extends Played {
  earlier?: Played[];
}

interface Progress {
  share: number;
  line: string;
  cells: string[][];
  charts: (string | null)[];
}

interface Description {
  name: string;
  fields: string[];
  tables: { title: string; rows: { cell: number; key: string; label: string }[] }[];
}

interface BoardOptions {
  label: string;
  chosen: (place: Place) => void;
  /** The names of the seats. */
  owners: string[];
  axes: boolean;
}

interface Marks {
  cursor: Place | null;
  first: Place | null;
  targets: Place[];
  hinted: Place[];
}

interface FormOptions {
  /** The titles of the players' fields, for the seat of the person. */
  roles: (seat: number) => string[];
  asksSeat: boolean;
  /** Fails for a setup that cannot be played. */
  check: (value: Setup) => Promise<unknown>;
  accepted: (value: Setup) => void;
  cancelled: () => void;
}
