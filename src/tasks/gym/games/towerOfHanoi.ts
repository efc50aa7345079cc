import * as z from 'zod';
import { defineGymTask, flag, whole, type MetadataOf } from '../shared/define.ts';
import { sumOver } from '../../define/wholeNumbers.ts';
import { LINE_ENDS } from '@rl-playground/base/pythonText';
import { pythonInt } from '@rl-playground/base/pythonNumbers';
import { readInteger, skipSpace, splitSpace, stripSpace } from '../../python/text.ts';
import { shuffled, uniformInt } from '@rl-playground/base/random';
import type { ScoringMode } from '../../define/types.ts';

const metadata = () => ({
  num_disks: z.number().max(10_000),
  num_pegs: z.number().max(10_000),
  start_peg: z.number(),
  target_peg: z.number(),
  solution_length: z.number().optional(),
});
type Metadata = MetadataOf<typeof metadata>;

interface Move {
  readonly disk: number;
  readonly from: number;
  readonly to: number;
}

/** Upstream's score of allowed moves that do not solve the puzzle. */
const LEGAL = 0.05;
const LINE_END = new RegExp(`[${LINE_ENDS}]`, 'g');

interface Plan {
  readonly aside: number;
  readonly moves: number;
}
const plans = new Map<string, Plan>();

/** The number of disks that the Frame–Stewart algorithm sets aside first, and its number of moves. */
function plan(disks: number, pegs: number): Plan {
  const name = `${disks}/${pegs}`;
  const result = plans.get(name) ?? workOut(disks, pegs);
  plans.set(name, result);
  return result;
}

function workOut(disks: number, pegs: number): Plan {
  if (disks <= 1) return { aside: 0, moves: disks };
  if (pegs === 3) return { aside: disks - 1, moves: 2 ** disks - 1 };
  let best = { aside: 0, moves: Infinity };
  for (let aside = 1; aside < disks; aside++) {
    const moves = 2 * plan(aside, pegs).moves + plan(disks - aside, pegs - 1).moves;
    if (moves < best.moves) best = { aside, moves };
  }
  return best;
}

/** Moves the `disks` smallest disks; the disk above which they lie is `above`, counted from 0. */
function solve(disks: number, above: number, from: number, to: number, spare: readonly number[]): Move[] {
  if (disks === 0) return [];
  if (disks === 1) return [{ disk: above + 1, from, to }];
  const { aside } = plan(disks, spare.length + 2);
  const [rest = to, ...others] = spare;
  return [
    ...solve(aside, above, from, rest, [...others, to]),
    ...solve(disks - aside, above + aside, from, to, others),
    ...solve(aside, above, rest, to, [...others, from]),
  ];
}

const moveText = ({ disk, from, to }: Move): string => `Move disk ${disk} from Peg ${from} to Peg ${to}`;

const MOVE = /Move disk (\p{Nd}+) from Peg (\p{Nd}+) to Peg (\p{Nd}+)/u;
const EXACT_MOVE = /^Move disk ([0-9]{1,3}) from Peg ([0-9]{1,3}) to Peg ([0-9]{1,3})$/;

/** Disks of each peg by its number, the uppermost last. */
type Pegs = Map<number, number[]>;

function pegsAtStart({ num_disks, num_pegs, start_peg }: Metadata): Pegs {
  const pegs: Pegs = new Map(Array.from({ length: num_pegs }, (_, i) => [i + 1, []]));
  for (let disk = num_disks; disk > 0; disk--) pegs.get(start_peg)?.push(disk);
  return pegs;
}

function isAllowed(pegs: Pegs, { disk, from, to }: Move): boolean {
  const [source, goal] = [pegs.get(from), pegs.get(to)];
  const covered = goal?.at(-1);
  return source?.at(-1) === disk && goal !== undefined && !(covered !== undefined && covered < disk);
}

function apply(pegs: Pegs, { from, to }: Move): void {
  const disk = pegs.get(from)?.pop();
  const goal = pegs.get(to);
  if (disk === undefined || goal === undefined)
    throw new Error(`There is no peg ${from} with a disk or no peg ${to}.`);
  goal.push(disk);
}

const numbersOf = (words: readonly (string | undefined)[], read: (word: string) => number): Move => {
  const [disk = Number.NaN, from = Number.NaN, to = Number.NaN] = words.map((word) => read(word ?? ''));
  return { disk, from, to };
};
const digits = (word: string): number => Number(readInteger(word, 0)?.value ?? Number.NaN);
const asPython = (word: string): number => Number(pythonInt(word) ?? Number.NaN);

/** Makes a move as upstream does: it checks the numbers that Python reads, but moves by the digits that the pattern found. */
function moveUpstream(pegs: Pegs, line: string): boolean {
  const match = MOVE.exec(line);
  if (match === null) return false;
  const words = splitSpace(line);
  if (words.length !== 9) return false;
  if (!isAllowed(pegs, numbersOf([words[2], words[5], words[8]], asPython))) return false;
  apply(pegs, numbersOf(match.slice(1), digits));
  return true;
}

function moveStrictly(pegs: Pegs, line: string): boolean {
  const match = EXACT_MOVE.exec(line);
  if (match === null) return false;
  const move = numbersOf(match.slice(1), Number);
  const allowed = isAllowed(pegs, move);
  if (allowed) apply(pegs, move);
  return allowed;
}

/** Makes the moves of a text, one a line, and returns their number, or null if one is not allowed. */
function makeMoves(pegs: Pegs, text: string, move: (pegs: Pegs, line: string) => boolean): number | null {
  let count = 0;
  for (let at = skipSpace(text, 0); at < text.length; at = skipSpace(text, at)) {
    LINE_END.lastIndex = at;
    const end = LINE_END.exec(text)?.index ?? text.length;
    if (!move(pegs, stripSpace(text.slice(at, end)))) return null;
    at = end;
    count++;
  }
  return count;
}

function score(candidate: string, data: Metadata, mode: ScoringMode): number {
  if (candidate === '') return 0;
  const pegs = pegsAtStart(data);
  const count = makeMoves(pegs, candidate, mode === 'upstream' ? moveUpstream : moveStrictly);
  if (count === null) return 0;
  const solved = pegs.get(data.target_peg)?.length === data.num_disks;
  if (!solved) return mode === 'strict' ? 0 : LEGAL;
  const fewest =
    data.solution_length ?? (mode === 'upstream' ? count : plan(data.num_disks, data.num_pegs).moves);
  return count <= fewest ? 1 : fewest / count;
}

export const towerOfHanoi = defineGymTask({
  name: 'tower_of_hanoi',
  title: 'Tower of Hanoi',
  summary: 'Move a tower of disks from one peg to another.',
  family: 'games',
  fields: {
    min_disks: whole('Fewest disks', 'Disks of the lowest tower.', 1, 10, 3),
    max_disks: whole('Most disks', 'Disks of the highest tower.', 1, 10, 7),
    min_pegs: whole('Fewest pegs', 'Pegs, start and goal included.', 3, 8, 3),
    max_pegs: whole('Most pegs', 'Pegs, start and goal included.', 3, 8, 4),
    visualize: flag('Show the start', 'Whether the question lists the disks of each peg.', false),
  },
  levels: [
    { min_disks: 1, max_disks: 2, max_pegs: 5 },
    { min_disks: 2, max_disks: 3 },
    { min_disks: 2, max_disks: 4 },
    { max_disks: 5 },
    {},
    { min_disks: 6, max_disks: 8, max_pegs: 5 },
  ],
  metadata,
  space: ({ min_disks, max_disks, min_pegs, max_pegs }) =>
    (max_disks - min_disks + 1) * sumOver(min_pegs, max_pegs, (pegs) => pegs * (pegs - 1)),
  draw(draw, { min_disks, max_disks, min_pegs, max_pegs, visualize }) {
    const disks = uniformInt(draw, min_disks, max_disks);
    const count = uniformInt(draw, min_pegs, max_pegs);
    const pegs = Array.from({ length: count }, (_, i) => i + 1);
    const [start = 1, target = 2] = shuffled(draw, pegs);
    const spare = pegs.filter((peg) => peg !== start && peg !== target);
    const moves = solve(disks, 0, start, target, spare);
    const tower = Array.from({ length: disks }, (_, i) => disks - i).join(' ');
    const picture = pegs.map((peg) => `Peg ${peg}: ${peg === start ? `${tower} (top)` : 'empty'}`).join('\n');
    return {
      question: `A Tower of Hanoi has ${disks} disks and ${count} pegs. Bring all disks from Peg ${start} to Peg ${target}:\n- One disk is moved at a time, from the top of one peg to the top of another.\n- No disk may lie on a smaller one; disk 1 is the smallest.\n${visualize ? `At the start:\n${picture}\n` : ''}Answer with the moves only, in as few as you can, each on a line of its own in the form 'Move disk X from Peg Y to Peg Z'.`,
      key: `${disks}/${count}:${start}>${target}`,
      answer: moves.map(moveText).join('\n'),
      data: {
        num_disks: disks,
        num_pegs: count,
        start_peg: start,
        target_peg: target,
        solution_length: moves.length,
      },
    };
  },
  scoreAnswer: (candidate, { metadata: data }, mode) => score(candidate, data, mode),
});
