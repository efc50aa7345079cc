/** The reward of a completed RPN equation: simplexity's boxed, correct and combined rewards. */
import type { Completion, ScoringMode } from '../define/types.ts';
import { applyOperator, isOperand, isOperator, rpnIds, type RpnVocabulary } from './vocabulary.ts';

/** An expression as a tree, to see whether one line of a derivation follows from another. */
interface RpnTree {
  readonly value: number;
  /** Operators in it; 0 for an operand. */
  readonly operations: number;
  /** The operator and its operands; null for an operand. */
  readonly inner: { readonly operator: number; readonly left: RpnTree; readonly right: RpnTree } | null;
}

/** The evaluated tree of a well-formed expression, or null for other tokens. */
function parseRpn(vocabulary: RpnVocabulary, tokens: readonly number[]): RpnTree | null {
  const stack: RpnTree[] = [];
  for (const token of tokens) {
    if (isOperand(vocabulary, token)) {
      stack.push({ value: token, operations: 0, inner: null });
      continue;
    }
    const right = stack.pop();
    const left = stack.pop();
    if (left === undefined || right === undefined || !isOperator(vocabulary, token)) return null;
    stack.push({
      value: applyOperator(vocabulary, token, left.value, right.value),
      operations: left.operations + right.operations + 1,
      inner: { operator: token, left, right },
    });
  }
  const [tree] = stack;
  return stack.length === 1 && tree !== undefined ? tree : null;
}

function agrees(before: RpnTree, after: RpnTree): boolean {
  if (after.inner === null) return before.value === after.value;
  return (
    before.inner !== null &&
    before.inner.operator === after.inner.operator &&
    agrees(before.inner.left, after.inner.left) &&
    agrees(before.inner.right, after.inner.right)
  );
}

/** Says whether `after` is `before` with one or more of its operations carried out, in any order. */
function followsFrom(before: RpnTree, after: RpnTree): boolean {
  return after.operations < before.operations && agrees(before, after);
}

/** The answer precedes the first or the last `<eoe>`. */
export type Marker = 'last' | 'first';

export interface RpnVerdict {
  /** The form: an answer between `=` and `<eoe>`. */
  readonly boxed: boolean;
  readonly correct: boolean;
  /** The id of the answer's token, or null. */
  readonly answer: number | null;
  /** The error beside the answer, or null. */
  readonly fault: string | null;
}

/**
 * The token ids of a completion: its own if they belong to this vocabulary, which its text tells although decoding may leave markers out,
 * or else those of its text. A completion that its model ended gets the missing `<eoe>`, because other vocabularies end with another token.
 */
export function completionIds(vocabulary: RpnVocabulary, completion: Completion): number[] {
  const { eoe, equals, words } = vocabulary;
  const fromText = rpnIds(vocabulary, completion.text);
  const plain = (ids: readonly number[]): number[] => ids.filter((id) => id <= equals);
  const [own, read] = [plain(completion.tokens), plain(fromText)];
  const isNative =
    completion.tokens.length > 0 &&
    completion.tokens.every((id) => id < words.length) &&
    own.length === read.length &&
    own.every((id, at) => id === read[at]);
  const ids = isNative ? [...completion.tokens] : fromText;
  const ended = completion.stopReason === 'eos' || completion.stopReason === 'stop';
  if (ended && !ids.includes(eoe)) ids.push(eoe);
  return ids;
}

/** The answer's place is right before `<eoe>`, with `=` before it; the rest of `sequence` may be anything. */
function readAnswer(vocabulary: RpnVocabulary, sequence: readonly number[], marker: Marker): number | null {
  const { eoe, equals } = vocabulary;
  const end = marker === 'last' ? sequence.lastIndexOf(eoe) : sequence.indexOf(eoe);
  const answer = sequence[end - 1];
  return end >= 2 && sequence[end - 2] === equals && answer !== undefined ? answer : null;
}

/** The length of the longest right completion: k lines, each one operation shorter than the one before. */
function longestCompletion(complexity: number): number {
  return complexity * (complexity + 1) + 1;
}

/** The lines of `= line = line … = operand <eoe>`, or null for any other form. */
function linesOf(vocabulary: RpnVocabulary, completion: readonly number[]): number[][] | null {
  const { eoe, equals } = vocabulary;
  if (completion[0] !== equals || completion.at(-1) !== eoe) return null;
  const lines: number[][] = [];
  for (const id of completion.slice(0, -1)) {
    if (id === equals) lines.push([]);
    else if (isOperand(vocabulary, id) || isOperator(vocabulary, id)) lines.at(-1)?.push(id);
    else return null;
  }
  return lines.at(-1)?.length === 1 ? lines : null;
}

/** `strict`: a whole form, and every line follows from the one before; an answer without lines between is one step. */
function strictVerdict(
  vocabulary: RpnVocabulary,
  expression: readonly number[],
  completion: readonly number[],
  truth: number,
): RpnVerdict {
  const answer = readAnswer(vocabulary, completion, 'first');
  const complexity = (expression.length - 1) / 2;
  const unformed = (fault: string): RpnVerdict => ({ boxed: false, correct: false, answer, fault });
  const most = longestCompletion(complexity);
  if (completion.length > most) return unformed(`more than the ${most} tokens that the whole working takes`);
  const lines = linesOf(vocabulary, completion);
  if (lines === null) return unformed('not lines that begin with = and end in one number and <eoe>');
  const trees = lines.map((line) => parseRpn(vocabulary, line));
  const broken = trees.indexOf(null);
  if (broken >= 0) return unformed(`line ${broken + 1} is no expression`);
  let before = parseRpn(vocabulary, expression);
  let fault: string | null = null;
  for (const [i, tree] of trees.entries()) {
    if (before === null || tree === null || !followsFrom(before, tree))
      fault ??= `line ${i + 1} does not follow from the one before`;
    before = tree;
  }
  return { boxed: true, correct: fault === null && answer === truth, answer, fault };
}

/** Judges a completion. In `upstream` mode the three tokens that end in `<eoe>` decide, whatever comes before them. */
export function verdict(
  vocabulary: RpnVocabulary,
  expression: readonly number[],
  completion: readonly number[],
  truth: number,
  { mode, marker }: { readonly mode: ScoringMode; readonly marker: Marker },
): RpnVerdict {
  if (mode === 'strict') return strictVerdict(vocabulary, expression, completion, truth);
  const answer = readAnswer(vocabulary, [vocabulary.boe, ...expression, ...completion], marker);
  const boxed = answer !== null && isOperand(vocabulary, answer);
  return { boxed, correct: answer === truth, answer, fault: boxed ? null : 'no number between = and <eoe>' };
}
