/** Sections of TOML: a tree of tables whose leaves are text, numbers, flags and lists of them. */

type Leaf = string | number | boolean | readonly Leaf[];

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON's texts, numbers, flags and lists are TOML's, but that a float may not end in its point. */
const leafText = (value: Leaf): string => JSON.stringify(value);

/** @throws Error at null, which TOML has none of. */
export function tomlText(table: Readonly<Record<string, unknown>>, path = ''): string {
  const leaves = Object.entries(table).filter(([, value]) => !isTable(value));
  const tables = Object.entries(table).filter(([, value]) => isTable(value));
  for (const [name, value] of leaves)
    if (value === null || value === undefined)
      throw new Error(`${path}${name} is ${value}, which TOML can't say.`);
  const own = leaves.map(([name, value]) => `${name} = ${leafText(value as Leaf)}`);
  const head = path === '' || own.length === 0 ? [] : [`[${path.slice(0, -1)}]`];
  const below = tables.map(([name, value]) =>
    tomlText(value as Readonly<Record<string, unknown>>, `${path}${name}.`),
  );
  return [[...head, ...own].join('\n'), ...below].filter((part) => part !== '').join('\n\n');
}
