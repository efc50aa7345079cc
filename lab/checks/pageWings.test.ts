/** The page's folders are in an order: none imports another that imports it, at any level, types included. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../../src/cli/tools.ts';

const PAGE = 'src/page';
/** The wings of the page from the left: a wing may import those before it. */
const WINGS = ['ui', 'run', 'see', 'keep', 'learn', 'own'];
/** The name for files that are in a folder itself and in none below it. */
const ITSELF = '.';
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

type Pair = readonly [from: string, to: string];

/** The folder that two files share, and for each the folder below it that the file lies in. */
function levelOf(from: string, to: string): { readonly shared: string; readonly pair: Pair } {
  const [a, b] = [from.split('/'), to.split('/')];
  let depth = 0;
  while (depth < Math.min(a.length, b.length) - 1 && a[depth] === b[depth]) depth++;
  const below = (path: readonly string[]): string =>
    depth < path.length - 1 ? (path[depth] ?? ITSELF) : ITSELF;
  return { shared: a.slice(0, depth).join('/'), pair: [below(a), below(b)] };
}

/** The imports between the folders of each folder, as pairs: the first imports the second. */
function levels(files: ReadonlyMap<string, string>): Map<string, Pair[]> {
  const found = new Map<string, Pair[]>();
  for (const [file, text] of files) {
    for (const [, specifier = ''] of text.matchAll(SPECIFIER)) {
      const target = posix.join(posix.dirname(file), specifier);
      const { shared, pair } = levelOf(file, target);
      if (`${shared}/`.startsWith(`${PAGE}/`) && pair[0] !== pair[1])
        found.set(shared, [...(found.get(shared) ?? []), pair]);
    }
  }
  return found;
}

/** Those that import each other, directly or by way of others. */
function circlesOf(pairs: readonly Pair[]): string[] {
  const reached = (from: string): Set<string> => {
    const seen = new Set<string>();
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop())
      for (const [a, b] of pairs)
        if (a === at && !seen.has(b)) {
          seen.add(b);
          open.push(b);
        }
    return seen;
  };
  return [...new Set(pairs.map(([from]) => from))].filter((folder) => reached(folder).has(folder));
}

function pageFiles(): Map<string, string> {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', PAGE];
  const names = execFileSync('git', words, { cwd: repository, encoding: 'utf8' }).split('\0');
  const program = names.filter((name) => /\.tsx?$/.test(name) && !/\.test\.|\/testing\//.test(name));
  return new Map(program.map((name) => [name, readFileSync(join(repository, name), 'utf8')]));
}

test('no folders of the page import each other', () => {
  const found = levels(pageFiles());
  expect([...new Set(found.get(PAGE)?.flat())].toSorted()).toEqual([ITSELF, ...WINGS].toSorted());
  expect(
    [...found].flatMap(([shared, pairs]) => circlesOf(pairs).map((name) => `${shared}/${name}`)),
  ).toEqual([]);
});

test('a wing imports only those to its left', () => {
  const back = (levels(pageFiles()).get(PAGE) ?? []).filter(
    ([from, to]) => from !== ITSELF && !WINGS.slice(0, WINGS.indexOf(from)).includes(to),
  );
  expect(back).toEqual([]);
});

test('the page has six stores at most, and each is changed by its own module alone', () => {
  const files = [...pageFiles()];
  const stores = files.filter(([, text]) => /\bcreate[<(]/.test(text) && text.includes("from 'zustand'"));
  expect(stores.map(([name]) => name).filter((name) => !name.endsWith('Store.ts'))).toEqual([]);
  expect(stores.length).toBeLessThanOrEqual(6);
  const others = files.filter(([name]) => !name.endsWith('Store.ts'));
  expect(others.filter(([, text]) => /\buse\w+\.setState\(/.test(text)).map(([name]) => name)).toEqual([]);
});

test('an import of a type, of a part that is loaded later and of styles counts', () => {
  const planted = new Map([
    ['src/page/see/a/x.ts', "import type { y } from '../b/y.ts';"],
    ['src/page/see/b/y.ts', "const z = await import('../c/z.ts');"],
    ['src/page/see/c/z.ts', "import styles from '../a/x.module.css';"],
    ['src/page/see/d/w.ts', "import '../a/x.ts';"],
  ]);
  expect(circlesOf(levels(planted).get('src/page/see') ?? [])).toEqual(['a', 'b', 'c']);
});
