import type { Fields } from './fate.ts';

type Tree = { [name: string]: unknown };

/** Dotted names as sections: `a.b` → `{ a: { b } }`. */
export function nested(fields: Fields): Tree {
  const root: Tree = {};
  for (const [name, value] of Object.entries(fields)) {
    const path = name.split('.');
    const last = path.pop() ?? '';
    let at = root;
    for (const part of path) {
      at[part] ??= {};
      at = at[part] as Tree;
    }
    at[last] = value;
  }
  return root;
}
