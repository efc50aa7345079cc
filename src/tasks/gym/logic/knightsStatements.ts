/** The statements of people on an island of truth-tellers and liars: drawing, judging and wording them. */
import { pick, uniformInt, type Draw } from '@rl-playground/base/random';

/** A person is named by a number from 0. The forms are those of reasoning-gym's metadata. */
export type Claim =
  | readonly ['telling-truth' | 'lying', number]
  | readonly ['not', Claim]
  | readonly ['and' | 'or' | '->' | '<=>', ...Claim[]];

/** A statement about one person. */
const isAtom = (claim: Claim): claim is readonly ['telling-truth' | 'lying', number] =>
  claim[0] === 'telling-truth' || claim[0] === 'lying';

export interface ClaimSettings {
  readonly n_people: number;
  /** The limit of operators and names above each other. */
  readonly depth_constraint: number;
  /** The limit of parts of an `and` or `or`. */
  readonly width_constraint: number;
}

const sameClaim = (a: Claim, b: Claim): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Draws a statement of `speaker`; people never say that they lie themselves. */
export function drawClaim(
  draw: Draw,
  speaker: number,
  settings: ClaimSettings,
  depth = settings.depth_constraint,
): Claim {
  const dice = uniformInt(draw, 0, 5);
  if (depth <= 1 || dice === 0) {
    for (;;) {
      const kind = pick(draw, ['telling-truth', 'lying'] as const);
      const about = uniformInt(draw, 0, settings.n_people - 1);
      if (kind === 'telling-truth' || about !== speaker) return [kind, about];
    }
  }
  if (dice === 1) return ['not', drawClaim(draw, speaker, settings, depth - 1)];
  const count = dice <= 3 ? uniformInt(draw, 2, settings.width_constraint) : 2;
  const parts: Claim[] = [];
  while (parts.length < count) {
    const part = drawClaim(draw, speaker, settings, depth - 1);
    if (!parts.some((other) => sameClaim(part, other))) parts.push(part);
  }
  return [(['and', 'or', '->', '<=>'] as const)[dice - 2] ?? 'and', ...parts];
}

/** Says whether a claim is true, if `truthful` names the truth-tellers. */
export function holds(claim: Claim, truthful: readonly boolean[]): boolean {
  if (isAtom(claim)) return (truthful[claim[1]] ?? false) === (claim[0] === 'telling-truth');
  if (claim[0] === 'not') return !holds(claim[1], truthful);
  const [operator, ...parts] = claim;
  const values = parts.map((part) => holds(part, truthful));
  const [first = false, second = false] = values;
  if (operator === 'and') return values.every(Boolean);
  if (operator === 'or') return values.some(Boolean);
  return operator === '->' ? !first || second : first === second;
}

/** All ways to tell truth and lie among `count` people, from all true to all lying. */
export function worlds(count: number): boolean[][] {
  return Array.from({ length: 2 ** count }, (_, world) =>
    Array.from({ length: count }, (_each, i) => ((world >> (count - 1 - i)) & 1) === 0),
  );
}

/** The ways in which just the truth-tellers' claims are true; claim `i` is person `i`'s. */
export function solutions(claims: readonly Claim[]): boolean[][] {
  return worlds(claims.length).filter((truthful) =>
    claims.every((claim, i) => holds(claim, truthful) === truthful[i]),
  );
}

/** A claim in words. `is(person, truthful)` says that a person is of one sort or the other. */
export function claimWords(claim: Claim, is: (person: number, truthful: boolean) => string): string {
  const inner = (part: Claim): string => {
    const words = claimWords(part, is);
    return isAtom(part) || (part[0] === 'not' && isAtom(part[1])) ? words : `(${words})`;
  };
  if (isAtom(claim)) return is(claim[1], claim[0] === 'telling-truth');
  if (claim[0] === 'not') {
    const denied = claim[1];
    return isAtom(denied)
      ? is(denied[1], denied[0] !== 'telling-truth')
      : `it is not true that ${inner(denied)}`;
  }
  const [operator, ...parts] = claim;
  const [first = '', second = ''] = parts.map(inner);
  if (operator === '->') return `if ${first} then ${second}`;
  if (operator === '<=>') return `${first} if and only if ${second}`;
  return parts.map(inner).join(` ${operator} `);
}

const SIGNS = { and: '∧', or: '∨', '->': '→', '<=>': '↔' } as const;

/** A claim in signs: `name(person)` stands for "the person tells the truth". */
export function claimSigns(claim: Claim, name: (person: number) => string): string {
  const inner = (part: Claim): string => {
    const signs = claimSigns(part, name);
    return isAtom(part) || part[0] === 'not' ? signs : `(${signs})`;
  };
  if (isAtom(claim)) return `${claim[0] === 'lying' ? '¬' : ''}${name(claim[1])}`;
  if (claim[0] === 'not') return `¬${inner(claim[1])}`;
  const [operator, ...parts] = claim;
  return parts.map(inner).join(SIGNS[operator]);
}
