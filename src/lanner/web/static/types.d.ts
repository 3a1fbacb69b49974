// The shapes that the judging page's scripts share, for the type checker alone: no page loads this.

type App = import('./judging.js').App;

/** What the server writes into the page. */
interface PageData {
  task: number;
  who: string;
  language: string;
  words: Record<string, string>;
  items: any[];
  finished: boolean;
  more: boolean;
  offline: boolean;
  practice: PracticeData | null;
  idle: number;
  minutesToday: number;
  breakAfter: number;
}

/** A round of practice, and the questions of each of its items that have a right answer. */
interface PracticeData {
  asked: string[][];
  turn: number;
}

/** Something pressed before the page's scripts ran: a key, or a control with its new value. */
interface EarlyInput {
  key?: string;
  code?: string;
  shiftKey?: boolean;
  control?: HTMLInputElement;
  value?: string | boolean;
  /** The row that was active on the screen; -1 where there are none. */
  row: number;
  time: number;
}
interface Window {
  takeEarlyInput?: () => EarlyInput[];
}

// --- questions and answers

interface Condition {
  question: string;
  is?: string[];
  is_not?: string[];
  at_least?: number;
  at_most?: number;
}

interface Question {
  id: string;
  kind: string;
  need: number;
  most: number;
  required: boolean;
  when: Condition[];
  each: string;
  exclusive: string;
  preset: any;
}

type Answers = Record<string, any>;

/** What is judged: a sentence, or a document. `stored`, `confirmed` and `refused` are canonical. */
interface Item {
  answers: Answers;
  /** The id of the stored answer that each answer was given in the knowledge of. */
  base: Record<string, number | null>;
  /** What was sent last. */
  stored: Record<string, string>;
  /** What the server is known to hold. */
  confirmed: Record<string, string>;
  /** What the server did not take. */
  refused: Record<string, string>;
  /** Given on another page while this one had an answer of its own. */
  newer: Record<string, SavedAnswer>;
  earlier: Answers;
  prefilled: Answers;
  elapsed: number;
  active: number;
  training: boolean;
  feedback: Feedback | null;
}

/** What the margin of a row says about an answer; `best` are the outputs that came first. */
interface Brief {
  short?: string;
  long?: string;
  badge?: string;
  note?: string;
  /** Where it is told apart from another answer. */
  spoken?: (app: App) => string;
  glyph?: Element;
  best?: number[];
}

/** What depends on the kind of a question. */
interface Kind {
  read(el: any): any;
  write(el: any, value: any, app: App): void;
  brief(el: any, value: any, app: App): Brief;
  /** May refuse a change. */
  allow?(el: any, control: any): boolean;
  /** Takes a button of the control; whether that changed the answer. */
  press?(el: any, button: any): boolean;
  /** Whether what is being typed is an answer already. */
  typed?(el: any, control: any): boolean;
  /** Takes what is done to the texts as well. */
  watch?(ask: Ask, app: App): void;
}

/** A question as it is shown. `key` is the answer that its control shows. */
interface Ask {
  el: any;
  name: string;
  key: string;
  kind: Kind;
  q: Question;
}

/** `step` is 0 where any number will do. */
interface Limits {
  min: number;
  max: number;
  step: number;
}
type NumberProblem = 'not_number' | 'too_low' | 'too_high' | 'off_step';
interface TypedNumber {
  value: number | null;
  problem: NumberProblem | null;
}

// --- texts and marks

/** A sentence of the document. */
interface Row {
  el: HTMLElement;
  block: HTMLElement;
  num: HTMLElement;
  /** What its answers belong to; null where it is context only. */
  item: number | null;
  /** Whether the item is this sentence alone, and not the whole document. */
  own: boolean;
  name: string;
  label: string;
}

/** From one code point to another. */
interface Stretch {
  start: number;
  end: number;
}
/** A stretch of one text of a row. */
interface CellStretch extends Stretch {
  cell: HTMLElement;
}
/** A stretch as it was drawn over a text, with the spaces at its ends. */
interface DrawnStretch extends CellStretch {
  drawn: Stretch;
}

/** The other end of a mark. */
interface Link extends Stretch {
  segment: string;
  side: string;
  text: string;
}

/** A mark as it is answered; without a place it names something that is missing. */
interface Span extends Partial<Stretch> {
  side: string;
  text?: string;
  output?: number;
  missing?: boolean;
  category?: string;
  severity?: string;
  link?: Link;
  note?: string;
  correction?: string;
  origin?: string;
}

/** A mark as it is drawn. */
interface DrawnMark extends Stretch {
  side: string;
  output?: number;
  id?: string;
  look: string;
  lane: string;
}

/** Words `from` to `to` of a text, which keys have reached; only the row while no word of it was. */
interface Cursor {
  row: Row;
  cell?: HTMLElement;
  from?: number;
  to?: number;
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A slider under a mouse or a finger. */
interface Grasp {
  control: any;
  x: number;
  y: number;
  touch: boolean;
  /** Whether the finger scrolls; null until it has moved far enough to tell. */
  swiped: boolean | null;
  /** Whether the browser has said that it changed: then its release is no answer of its own. */
  heard: boolean;
}

/** What the menu is about. */
interface Choice {
  ask: Ask;
  span: Span;
  /** Its number, where it is a mark already. */
  id: number | undefined;
  bar: any;
  /** What the menu stands beside. */
  at: Range | Element;
  /** The steps taken so far: field and value. */
  path: [string, string][];
  size?: { width: number; height: number };
}

// --- keys

/**
 * What has the focus: a text area, the search field, a field for a number, a control with points
 * (scale, slider, menu), a button or link, a text that is read in the drawer, or nothing of its own.
 */
type Focus = 'text' | 'search' | 'number' | 'points' | 'button' | 'reading' | 'page';

interface Place {
  focus: Focus;
  byPointer: boolean;
  menu: boolean;
  inMenu: boolean;
  linking: boolean;
  marks: boolean;
  rows: boolean;
}

interface KeyPress {
  key: string;
  code: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  isComposing: boolean;
  keyCode: number;
  repeat: boolean;
}
/** `native` leaves the key to the browser, `single` asks what the letter or digit means here. */
type Action =
  | 'native'
  | 'nothing'
  | 'accept'
  | 'leave'
  | 'into_menu'
  | 'take_link'
  | 'find_next'
  | 'remove'
  | 'single'
  | 'next'
  | 'previous'
  | 'right'
  | 'left'
  | 'part_right'
  | 'part_left'
  | 'first_word'
  | 'last_word'
  | 'page_down'
  | 'page_up';

// --- saving

/** Records on this device. */
interface Db {
  lasting: boolean;
  all(store: string, prefix: string): Promise<[string, any][]>;
  /** Writes all entries or none; a null deletes; an entry may name another store. */
  put(store: string, ...entries: any[][]): Promise<any>;
}

interface Message {
  key: string;
  url: string;
  task: number;
  item: number;
  tries: number;
  body: {
    submission: string;
    item: number;
    answers: Answers;
    base: Record<string, number | null>;
    elapsed: number;
    active: number;
    answered_at: string;
    /** So many milliseconds was the device's clock ahead of the server's. */
    ahead?: number;
  };
}

/** An answer that is not complete, or not sent yet. */
interface Draft {
  item: number;
  question: string;
  value: any;
  base: number | null;
}
/** An answer that has arrived. */
interface Copy {
  item: number;
  question: string;
  value: any;
  id: number;
}
/** An answer as the server has it. */
interface SavedAnswer {
  id: number;
  value: any;
}
/** The answers of each item, by question. */
type SavedItems = Record<string, SavedAnswer>[];

type SaveState = 'saved' | 'saving' | 'kept' | 'offline' | 'signin' | 'refused';
interface Reply {
  status: number;
  body: any;
}

/** What an outbox works with. */
interface OutboxParts {
  db: Db;
  who: string;
  send(url: string, body: any): Promise<Reply>;
  now?(): Date;
  /** Milliseconds of a clock that nobody sets. */
  tick?(): number;
  uuid?(): string;
  wait?(ms: number): Promise<any>;
  alone?(work: () => Promise<any>): Promise<any>;
  status?(state: SaveState, waiting: number, message: string): void;
  acknowledged?(message: Message, ids: Record<string, number>): void;
  stored?(message: Message, reply: any): void;
  rejected?(message: Message, errors: any[]): void;
  unkept?(): void;
}

// --- notes and feedback

/** A button of a note, and what it does. */
type NoteAct = [label: string, act?: () => void];

interface MarkVerdict extends Partial<Stretch> {
  verdict: 'found' | 'kind' | 'missed' | 'extra';
  side?: string;
  text?: string;
  output?: number;
  kind?: string;
}
interface FeedbackLine {
  question: string;
  label: string;
  right: boolean;
  expected: string;
  marks: MarkVerdict[];
}
interface Feedback {
  right: boolean | null;
  lines: FeedbackLine[];
  explanation: string;
}
