/** OmegaConf's `${…}` in the values of a configuration. */
import { formatMoment } from '@rl-playground/base/clock';
import { grouped } from '@rl-playground/base/text';
import { isTree, type Tree } from '@rl-playground/run/settings/files';

/** An interpolation points to nothing here. */
export class Unresolved extends Error {
  override readonly name = 'Unresolved';
}

/** Interpolations grow to more than `MOST_TEXT`, so that the file is not read. */
export class TooMuchText extends Error {
  override readonly name = 'TooMuchText';
  readonly path: string;

  constructor(path: readonly string[]) {
    super(`its \${…} make more than ${grouped(MOST_TEXT)} characters of the file; write the values out.`);
    this.path = path.join('.');
  }
}

/** The most characters of all values of a file, with their interpolations resolved. */
const MOST_TEXT = 1_000_000;

/** The greatest depth of interpolations that lie in each other or point to each other. */
const DEEPEST = 30;

/** The value at a dotted path; undefined if there is none. */
export function valueAt(tree: unknown, path: readonly string[]): unknown {
  let value = tree;
  for (const key of path) {
    const holds = isTree(value) || Array.isArray(value);
    if (!holds || !Object.hasOwn(value as Tree, key)) return undefined;
    value = (value as Tree)[key];
  }
  return value;
}

/** The place of the `}` that closes the `${` at `start`; -1 if it is missing. */
function endOf(text: string, start: number): number {
  let open = 0;
  for (let i = start; i < text.length; i++) {
    if (text[i] === '{') open++;
    else if (text[i] === '}' && --open === 0) return i;
  }
  return -1;
}

/** Resolves interpolations against the whole configuration, as they are asked for. */
export class Interpolation {
  readonly #root: Tree;
  readonly #now: Date;
  /** The number of characters so far, and one more for each value. */
  #taken = 0;

  constructor(root: Tree, now: Date) {
    this.#root = root;
    this.#now = now;
  }

  #take(characters: number, path: readonly string[]): void {
    this.#taken += characters;
    if (this.#taken > MOST_TEXT) throw new TooMuchText(path);
  }

  /** The value with every interpolation in it replaced. `path` is its own place. @throws Unresolved, or TooMuchText */
  resolve(value: unknown, path: readonly string[], depth = 0): unknown {
    this.#take(typeof value === 'string' ? 1 + value.length : 1, path);
    if (depth > DEEPEST) throw new Unresolved(`its \${…} go round in a circle, or more than ${DEEPEST} deep`);
    if (typeof value === 'string') return this.#text(value, path, depth);
    if (Array.isArray(value))
      return value.map((each: unknown, i) => this.resolve(each, [...path, String(i)], depth + 1));
    if (!isTree(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, this.resolve(each, [...path, key], depth + 1)]),
    );
  }

  /** The result of a text. A text that is one interpolation takes its value, whatever the type; others are put together as text. */
  #text(text: string, path: readonly string[], depth: number): unknown {
    let result = '';
    for (let at = 0; at < text.length;) {
      const start = text.indexOf('${', at);
      if (start < 0) return result + text.slice(at);
      if (text[start - 1] === '\\') {
        result += `${text.slice(at, start - 1)}\${`;
        at = start + 2;
        continue;
      }
      const end = endOf(text, start + 1);
      if (end < 0) throw new Unresolved('its ${ is never closed');
      const value = this.#inside(text.slice(start + 2, end), path, depth + 1);
      if (start === 0 && end === text.length - 1) return value;
      const own = text.slice(at, start) + String(value);
      this.#take(own.length, path);
      result += own;
      at = end + 1;
    }
    return result;
  }

  #inside(raw: string, path: readonly string[], depth: number): unknown {
    const inner = this.resolve(raw, path, depth);
    const text = String(inner).trim();
    const colon = text.indexOf(':');
    return colon < 0
      ? this.#reference(text, path, depth)
      : this.#resolver(text.slice(0, colon), text.slice(colon + 1), path, depth);
  }

  #resolver(name: string, rest: string, path: readonly string[], depth: number): unknown {
    if (name === 'now')
      return formatMoment(this.#now.getTime() - this.#now.getTimezoneOffset() * 60_000, rest);
    const comma = rest.indexOf(',');
    const fallback = comma < 0 ? undefined : rest.slice(comma + 1).trim();
    if (name === 'oc.env' && fallback !== undefined) return fallback;
    if (name === 'oc.select') {
      try {
        return this.#reference((comma < 0 ? rest : rest.slice(0, comma)).trim(), path, depth);
      } catch (error) {
        if (error instanceof Unresolved && fallback !== undefined) return fallback;
        throw error;
      }
    }
    throw new Unresolved(`\${${name}:…} has no value here`);
  }

  /** The value of a reference: `a.b` from the root; `.a` beside this value, and one level up for each further dot. */
  #reference(text: string, path: readonly string[], depth: number): unknown {
    const dots = /^\.*/.exec(text)?.[0].length ?? 0;
    const from = dots === 0 ? [] : path.slice(0, Math.max(0, path.length - dots));
    const target = [
      ...from,
      ...text
        .slice(dots)
        .replace(/\[([^\]]*)\]/g, '.$1')
        .split('.'),
    ];
    const value = valueAt(this.#root, target);
    if (value === undefined) throw new Unresolved(`\${${text}} points to nothing in the file`);
    return this.resolve(value, target, depth);
  }
}
