/**
 * A YAML or JSON text as plain values, each with its line. The page loads this file, and the `yaml` package with it, when a settings
 * file is read or written, and no sooner.
 */
import { isNode, LineCounter, parseDocument } from 'yaml';
import { messageOf } from '@rl-playground/base/errors';
import { quoted } from '@rl-playground/base/valueSchemas';

export type Tree = Readonly<Record<string, unknown>>;

export interface ParsedText {
  readonly ok: true;
  readonly tree: Tree;
  /** The line (from 1) of the value at a dotted path; null where it is not known. */
  readonly lineOf: (path: string) => number | null;
}

/** More than any settings are, and little enough to be read at once: the time grows with the square of the number of names. */
const LONGEST_TEXT = 100_000;

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list with unknown items; null for anything else. */
export function listOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

/** A value that is no plain tree: one that holds itself by an alias, or an object's inner name. `null` where nothing is wrong. */
function flawOf(value: unknown, path: readonly string[], above: ReadonlySet<unknown>): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const at = path.join('.');
  if (above.has(value)) return `${at}: its alias stands for a value that holds it; write the value out.`;
  const inside = new Set(above).add(value);
  for (const [name, each] of Object.entries(value)) {
    if (name === '__proto__' && path.length > 0)
      return `${at}.__proto__: there is no setting of that name; leave it out.`;
    const flaw = flawOf(each, [...path, name], inside);
    if (flaw !== null) return flaw;
  }
  return null;
}

/** Reads a text whose outermost value is a mapping. Never throws. */
export function parseText(
  text: string,
): ParsedText | { readonly ok: false; readonly errors: readonly string[] } {
  if (text.length > LONGEST_TEXT)
    return {
      ok: false,
      errors: [`The file has ${text.length} characters; settings have at most ${LONGEST_TEXT}.`],
    };
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      merge: true,
      logLevel: 'error',
    });
    const errors = document.errors.map(
      ({ pos, message }) => `line ${lines.linePos(pos[0]).line}: it is no YAML or JSON: ${message}`,
    );
    if (errors.length > 0) return { ok: false, errors };
    const tree: unknown = document.toJS();
    if (!isTree(tree)) {
      const found = document.contents === null ? 'nothing' : quoted(tree);
      return {
        ok: false,
        errors: [`The file holds ${found}; settings are lines of "name: value" or a JSON object.`],
      };
    }
    const lineOf = (path: string): number | null => {
      const node: unknown = document.get(path, true) ?? document.getIn(path.split('.'), true);
      const start = isNode(node) ? node.range?.[0] : undefined;
      return start === undefined ? null : lines.linePos(start).line;
    };
    const flaw = flawOf(tree, [], new Set());
    if (flaw !== null) {
      const line = lineOf(flaw.slice(0, flaw.indexOf(': ')));
      return { ok: false, errors: [`${line === null ? '' : `line ${line}: `}${flaw}`] };
    }
    return { ok: true, tree, lineOf };
  } catch (error) {
    const reason = messageOf(error);
    return { ok: false, errors: [`The file can't be read as YAML or JSON: ${reason}`] };
  }
}
