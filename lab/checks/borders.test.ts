/** Imports follow the borders of the packages, and no two folders import each other, at any level, types included. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository } from '../../src/cli/tools.ts';

/** The packages, lowest first. Each may import those before it, but bridges and machines do not import each other, nor do page and cli. */
const PACKAGES = ['base', 'engine', 'tasks', 'run', 'bridges', 'machines', 'page', 'cli'];
const PAGE = 'src/page';
/** The wings of the page, lowest first. Each may import those before it. */
const WINGS = ['ui', 'run', 'see', 'keep', 'learn', 'own', 'places'];
/** A condition of `exports`, which is no package. */
const SOURCE = '@rl-playground/source';
/** The name of the files that lie in a folder itself, not in one below it. */
const ITSELF = '.';
const RELATIVE = /(?:\bfrom|\bimport)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;
const BY_NAME = /(?:^|\n)(?:import|export)\b[^;'`]*'([^'.\n][^'\n]*)';|\bimport\('([^'.\n][^'\n]*)'\)/g;

type Pair = readonly [from: string, to: string];

interface Manifest {
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function tracked(folder: string): string[] {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', folder];
  const names = execFileSync('git', words, { cwd: repository, encoding: 'utf8', maxBuffer: 1 << 26 });
  return names.split('\0').filter((name) => /\.tsx?$/.test(name) && existsSync(join(repository, name)));
}

const textOf = (name: string): string => readFileSync(join(repository, name), 'utf8');
const manifestOf = (folder: string): Manifest => JSON.parse(textOf(`${folder}/package.json`)) as Manifest;
const isTest = (name: string): boolean => /\.(test|suite)\.|\/testing\//.test(name);

/** The files of a package's program, without its doors, which gather exports of its folders for other packages. */
function program(folder: string): Map<string, string> {
  const doors = JSON.stringify(manifestOf(folder).exports ?? {});
  const names = tracked(folder).filter(
    (name) =>
      !isTest(name) && !(name.endsWith('/index.ts') && doors.includes(`.${name.slice(folder.length)}"`)),
  );
  return new Map(names.map((name) => [name, textOf(name)]));
}

/** The folder that two files share, and for each the folder below it that the file lies in. */
function levelOf(from: string, to: string): { readonly shared: string; readonly pair: Pair } {
  const [a, b] = [from.split('/'), to.split('/')];
  let depth = 0;
  while (depth < Math.min(a.length, b.length) - 1 && a[depth] === b[depth]) depth++;
  const below = (path: readonly string[]): string =>
    depth < path.length - 1 ? (path[depth] ?? ITSELF) : ITSELF;
  return { shared: a.slice(0, depth).join('/'), pair: [below(a), below(b)] };
}

/** The imports between the folders of each folder inside `root`. */
function levels(files: ReadonlyMap<string, string>, root: string): Map<string, Pair[]> {
  const found = new Map<string, Pair[]>();
  for (const [file, text] of files) {
    for (const [, specifier = ''] of text.matchAll(RELATIVE)) {
      const target = posix.join(posix.dirname(file), specifier);
      const { shared, pair } = levelOf(file, target);
      if (`${shared}/`.startsWith(`${root}/`) && pair[0] !== pair[1])
        found.set(shared, [...(found.get(shared) ?? []), pair]);
    }
  }
  return found;
}

/** The folders that import each other, directly or through others. */
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

describe.each(PACKAGES)('the package %s', (name) => {
  const folder = `src/${name}`;

  test('has no folders that import each other', () => {
    const found = [...levels(program(folder), folder)];
    expect(found.flatMap(([shared, pairs]) => circlesOf(pairs).map((each) => `${shared}/${each}`))).toEqual(
      [],
    );
  });

  test('is left by the names of packages that its package.json has, through their doors', () => {
    const { dependencies, devDependencies } = manifestOf(folder);
    const needed = { ...dependencies, ...devDependencies };
    const tools = manifestOf('.').devDependencies ?? {};
    const wrong: string[] = [];
    for (const file of tracked(folder).filter((each) => !each.startsWith('src/engine/simd/'))) {
      const text = textOf(file);
      for (const [, specifier = ''] of text.matchAll(RELATIVE)) {
        const target = posix.join(posix.dirname(file), specifier);
        const ours = target.startsWith(`${folder}/`) || !/^src\/.*\.tsx?$/.test(target);
        if (!ours) wrong.push(`${file} imports ${target}`);
      }
      for (const [, statement, call] of text.matchAll(BY_NAME)) {
        const [scope = '', part = ''] = (statement ?? call ?? '').split('/');
        const imported = scope.startsWith('@') ? `${scope}/${part}` : scope;
        const own =
          [`@rl-playground/${name}`, SOURCE].includes(imported) ||
          scope.startsWith('node:') ||
          scope.startsWith('#');
        const forTests = (isTest(file) || file.includes('/vite/')) && imported in tools;
        if (
          !own &&
          !forTests &&
          !(imported in needed) &&
          imported in { ...tools, ...manifestOf('.').dependencies }
        )
          wrong.push(`${file} imports ${imported}`);
        if (imported.startsWith('@rl-playground/') && !own && !(imported in needed))
          wrong.push(`${file} imports ${imported}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('needs only packages below it', () => {
    const { dependencies, devDependencies } = manifestOf(folder);
    const ours = Object.keys({ ...dependencies, ...devDependencies }).filter((each) =>
      each.startsWith('@rl-playground/'),
    );
    const below = PACKAGES.slice(0, PACKAGES.indexOf(name)).map((each) => `@rl-playground/${each}`);
    expect(ours.filter((each) => !below.includes(each))).toEqual([]);
    const beside = { machines: 'bridges', cli: 'page', tasks: 'engine' }[name];
    expect(ours).not.toContain(`@rl-playground/${beside ?? name}`);
  });
});

test('a wing imports only those to its left', () => {
  const between = levels(program(PAGE), PAGE).get(PAGE) ?? [];
  expect([...new Set(between.flat())].filter((each) => each !== 'vite').toSorted()).toEqual(
    [ITSELF, ...WINGS].toSorted(),
  );
  const back = between.filter(
    ([from, to]) => WINGS.includes(from) && !WINGS.slice(0, WINGS.indexOf(from)).includes(to),
  );
  expect(back).toEqual([]);
});

test('the page has six stores at most, and each is changed by its own module alone', () => {
  const files = [...program(PAGE)];
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
  expect(circlesOf(levels(planted, PAGE).get('src/page/see') ?? [])).toEqual(['a', 'b', 'c']);
});
