/** Formulas of propositional logic: read as reasoning-gym reads them, and their truth tables. */
import { stripSpace } from '../../python/text.ts';

export type Operator = '∧' | '∨' | '→' | '↔';
export type Formula =
  | { readonly kind: 'atom'; readonly name: string }
  | { readonly kind: 'not'; readonly operand: Formula }
  | {
      readonly kind: 'binary';
      readonly operator: Operator;
      readonly left: Formula;
      readonly right: Formula;
    };

/** The operators, loosest first. */
export const OPERATORS: readonly Operator[] = ['↔', '→', '∨', '∧'];

export function formulaText(formula: Formula): string {
  if (formula.kind === 'atom') return formula.name;
  if (formula.kind === 'not') return `¬${formulaText(formula.operand)}`;
  return `(${formulaText(formula.left)} ${formula.operator} ${formulaText(formula.right)})`;
}

/** The limits of formulas that are read, far beyond any that is asked for, because reading takes time in the square of the length. */
const [MOST_CHARACTERS, MOST_NESTED] = [2000, 900];

/** Says whether one pair of brackets holds the whole text. */
function isBracketed(text: string): boolean {
  if (!text.startsWith('(') || !text.endsWith(')')) return false;
  let depth = 0;
  for (let at = 0; at < text.length - 1; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')') depth--;
    if (depth === 0) return false;
  }
  return depth === 1;
}

/** Place of the loosest operator outside brackets, the last of its kind; −1 without one. Brackets are counted from the end. */
function mainOperator(text: string): number {
  const last: Partial<Record<string, number>> = {};
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    const character = text.charAt(at);
    if (character === ')') depth++;
    else if (character === '(') depth--;
    else if (depth === 0 && last[character] === undefined) last[character] = at;
  }
  for (const operator of OPERATORS) {
    const place = last[operator];
    if (place !== undefined) return place;
  }
  return -1;
}

function read(text: string, nested: number): Formula | null {
  let inner = stripSpace(text);
  while (isBracketed(inner)) inner = stripSpace(inner.slice(1, -1));
  if (inner === '' || nested > MOST_NESTED) return null;
  const place = mainOperator(inner);
  const operator = OPERATORS.find((each) => each === inner[place]);
  if (operator !== undefined) {
    // The right one is the shorter: where it is missing, the left one need not be read.
    const right = read(inner.slice(place + 1), nested + 1);
    const left = right === null ? null : read(inner.slice(0, place), nested + 1);
    return left === null || right === null ? null : { kind: 'binary', operator, left, right };
  }
  // Behind a negation there is no operator outside brackets either, so a row of them is read in one go.
  const negations = /^¬*/.exec(inner)?.[0].length ?? 0;
  if (negations === 0) return { kind: 'atom', name: inner };
  let formula = read(inner.slice(negations), nested + negations);
  for (let i = 0; formula !== null && i < negations; i++) formula = { kind: 'not', operand: formula };
  return formula;
}

/**
 * Reads a formula as reasoning-gym does: the last of the loosest operators splits it, and any text without an operator is an atom. Returns
 * null if an operand is missing.
 */
export function readFormula(text: string): Formula | null {
  if (text.length <= MOST_CHARACTERS) return read(text, 0);
  const name = stripSpace(text);
  return /[∧∨→↔¬()]/.test(name) || name === '' ? null : { kind: 'atom', name };
}

export function atomsOf(formula: Formula, found = new Set<string>()): Set<string> {
  if (formula.kind === 'atom') found.add(formula.name);
  else if (formula.kind === 'not') atomsOf(formula.operand, found);
  else {
    atomsOf(formula.left, found);
    atomsOf(formula.right, found);
  }
  return found;
}

/** A formula's truth under every assignment, one bit for each: bit `a` holds where atom `i` is true just if `a` has bit `i`. */
export type TruthTable = Uint32Array;

const LOW_ATOMS = [0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000];

function atomTable(place: number, words: number): TruthTable {
  const low = LOW_ATOMS[place];
  return Uint32Array.from({ length: words }, (_, word) =>
    low !== undefined ? low : (word >> (place - LOW_ATOMS.length)) % 2 === 1 ? 0xffffffff : 0,
  );
}

const COMBINED: Readonly<Record<Operator, (a: number, b: number) => number>> = {
  '∧': (a, b) => a & b,
  '∨': (a, b) => a | b,
  '→': (a, b) => ~a | b,
  '↔': (a, b) => ~(a ^ b),
};

/** The truth table over `atoms`, which must hold all of the formula's own. Whole words: fewer than 5 atoms are repeated. */
export function truthTable(formula: Formula, atoms: readonly string[]): TruthTable {
  const words = 2 ** Math.max(0, atoms.length - LOW_ATOMS.length);
  const tables = new Map(atoms.map((name, place) => [name, atomTable(place, words)]));
  const none = new Uint32Array(words);

  function table(part: Formula): TruthTable {
    if (part.kind === 'atom') return tables.get(part.name) ?? none;
    if (part.kind === 'not') return table(part.operand).map((word) => ~word);
    const [left, right] = [table(part.left), table(part.right)];
    return left.map((word, i) => COMBINED[part.operator](word, right[i] ?? 0));
  }
  return table(formula);
}

/** Says whether the premises entail the conclusion. All tables are over the same atoms. */
export function entails(premises: readonly TruthTable[], conclusion: TruthTable): boolean {
  return conclusion.every(
    (word, i) => (premises.reduce((all, premise) => all & (premise[i] ?? 0), ~0) & ~word) === 0,
  );
}
