/** A YAML or JSON text as plain values, each with its line. */
import type * as Yaml from 'yaml';
import { quoted } from '../fields.ts';

/** The `yaml` package: loaded where a file is read or written, and no sooner. */
export type YamlLibrary = Pick<
  typeof Yaml,
  'parse' | 'parseDocument' | 'Document' | 'LineCounter' | 'isNode' | 'isMap' | 'isSeq' | 'isScalar'
>;

export type Tree = Readonly<Record<string, unknown>>;

export interface ParsedText {
  readonly ok: true;
  readonly tree: Tree;
  /** The line (from 1) of the value at a dotted path; null where it is not known. */
  readonly lineOf: (path: string) => number | null;
}

/** More than any settings are, and little enough to be read at once. */
const LONGEST_TEXT = 1_000_000;

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list with unknown items; null for anything else. */
export function listOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

/** Reads a text whose outermost value is a mapping. Never throws. */
export function parseText(
  yaml: YamlLibrary,
  text: string,
): ParsedText | { readonly ok: false; readonly errors: readonly string[] } {
  if (text.length > LONGEST_TEXT)
    return {
      ok: false,
      errors: [`The file has ${text.length} characters; settings have at most ${LONGEST_TEXT}.`],
    };
  const lines = new yaml.LineCounter();
  try {
    const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
    const errors = document.errors.map(
      ({ pos, message }) => `line ${lines.linePos(pos[0]).line}: it is no YAML or JSON: ${message}`,
    );
    if (errors.length > 0) return { ok: false, errors };
    const tree: unknown = document.toJS();
    if (!isTree(tree))
      return {
        ok: false,
        errors: [`The file holds ${quoted(tree)}; settings are lines of "name: value" or a JSON object.`],
      };
    return {
      ok: true,
      tree,
      lineOf(path) {
        const node: unknown = document.getIn(path.split('.'), true);
        const start = yaml.isNode(node) ? node.range?.[0] : undefined;
        return start === undefined ? null : lines.linePos(start).line;
      },
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, errors: [`The file can't be read as YAML or JSON: ${reason}`] };
  }
}
