/** The fields of a trainer as the text of its configuration: YAML or TOML. */
import { stringify } from 'yaml';
import type { Fields } from './fate.ts';

type Tree = { [name: string]: unknown };

/** Dotted names as sections: `a.b` becomes `{ a: { b } }`. */
export function nested(fields: Fields): Tree {
  const root: Tree = {};
  for (const [name, value] of Object.entries(fields)) {
    const path = name.split('.');
    const last = path.pop() ?? '';
    let at = root;
    for (const part of path) at = (at[part] ??= {}) as Tree;
    at[last] = value;
  }
  return root;
}

/** YAML for Python's readers, which are of version 1.1: `no` is quoted, and a number with an exponent has a point. */
export const yamlText = (value: unknown): string =>
  stringify(value, { version: '1.1' }).replaceAll(/(?<=(?:: |- ))(-?\d+)(?=e[-+]\d+$)/gm, '$1.0');

const isTable = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Tables of TOML, whose texts, numbers, flags and lists are those of JSON. @throws Error at null, which TOML lacks. */
export function tomlText(table: Tree, path = ''): string {
  const leaves = Object.entries(table).filter(([, value]) => !isTable(value));
  const own = leaves.map(([name, value]) => {
    if (value === null || value === undefined)
      throw new Error(`${path}${name} is ${value}, which TOML can't say.`);
    return `${name} = ${JSON.stringify(value)}`;
  });
  const head = path === '' || own.length === 0 ? [] : [`[${path.slice(0, -1)}]`];
  const below = Object.entries(table).map(([name, value]) =>
    isTable(value) ? tomlText(value, `${path}${name}.`) : '',
  );
  return [[...head, ...own].join('\n'), ...below].filter((part) => part !== '').join('\n\n');
}
