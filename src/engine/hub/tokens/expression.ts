/** Writes a pattern that was read (`oniguruma.ts`) as an expression of JavaScript, which gives the same matches. */
import { messageOf } from '@rl-playground/base/errors';
import { literal, PatternReader, type Pattern } from './oniguruma.ts';
import type { Options } from './options.ts';

/** Numbers the groups that stand for atomic ones. */
interface Names {
  next: number;
}

function sourceOf(pattern: Pattern, names: Names): string {
  switch (pattern.kind) {
    case 'character':
      return pattern.set;
    case 'place':
      return pattern.source;
    case 'all':
      return pattern.parts.map((part) => sourceOf(part, names)).join('');
    case 'choice':
      return `(?:${pattern.options.map((option) => sourceOf(option, names)).join('|')})`;
    case 'repeat': {
      const { of, from, to, isGreedy } = pattern;
      const inside = sourceOf(of, names);
      const counts = `{${from},${to === Infinity ? '' : to}}${isGreedy ? '' : '?'}`;
      return of.kind === 'character' ? `${inside}${counts}` : `(?:${inside})${counts}`;
    }
    case 'look': {
      const before = names.next;
      const inside = sourceOf(pattern.of, names);
      if (!pattern.isAhead && names.next > before)
        throw new Error('what gives nothing back, in a look behind, is not built');
      return `(?${pattern.isAhead ? '' : '<'}${pattern.isWanted ? '=' : '!'}${inside})`;
    }
    case 'atomic': {
      const inside = sourceOf(pattern.of, names);
      const name = `own${names.next++}`;
      // What a look ahead captured is never tried otherwise.
      return `(?:(?=(?<${name}>${inside}))\\k<${name}>)`;
    }
  }
}

/** The expression of a pattern, with the flag g. @throws Error that says what of it is not built. */
export function expressionOf(pattern: Pattern): RegExp {
  return new RegExp(sourceOf(pattern, { next: 0 }), 'gv');
}

/** The pattern of an option such as `{"Regex": "\\s+"}` or `{"String": " "}`. @throws OptionError */
export function patternIn(options: Options, name: string): Pattern {
  const { Regex, String: text } = (options.get(name) ?? {}) as Readonly<Record<string, unknown>>;
  try {
    if (typeof Regex === 'string') return new PatternReader(Regex).read();
  } catch (error) {
    return options.refuse(name, messageOf(error));
  }
  if (typeof text !== 'string' || text === '')
    options.refuse(name, '{"Regex": …} or a {"String": …} that is not empty is needed');
  return { kind: 'all', parts: Array.from(text, (character) => literal(character.codePointAt(0) ?? 0)) };
}

/** The expression of such an option. @throws OptionError */
export function expressionIn(options: Options, name: string): RegExp {
  const pattern = patternIn(options, name);
  try {
    return expressionOf(pattern);
  } catch (error) {
    return options.refuse(name, messageOf(error));
  }
}
