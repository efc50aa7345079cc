/** The documents stay short enough to be read, and their links lead somewhere. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../../src/cli/tools.ts';

const README_WORDS = 900;
const ALL_WORDS = 35_000;

/** Paths of markdown files, as git knows them, without those that were just removed. */
function markdown(...patterns: readonly string[]): string[] {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...patterns];
  const names = execFileSync('git', words, { cwd: repository, encoding: 'utf8' }).split('\0');
  return names.filter((name) => name.endsWith('.md') && existsSync(join(repository, name)));
}

const textOf = (path: string): string => readFileSync(join(repository, path), 'utf8');

/** Counts as `wc -w` does: the bars of tables and the words of code count, too. */
const wordsOf = (path: string): number => textOf(path).split(/\s+/).filter(Boolean).length;

const DOCUMENTS = markdown('README.md', 'CONTRIBUTING.md', 'docs', 'src/*/README.md');

/** The places in a page that a browser can jump to: its headings, as GitHub names them. */
function anchorsOf(path: string): Set<string> {
  const headings = [...textOf(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Links of a page to a file of the repository, or to a heading, that are not there. */
function deadLinks(page: string): string[] {
  const links = [...textOf(page).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  return links.flatMap(([link, path = '', anchor]) => {
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(repository, target))) return [link];
    return anchor === undefined || anchorsOf(target).has(anchor) ? [] : [link];
  });
}

test(`the README has at most ${README_WORDS} words`, () => {
  expect(wordsOf('README.md')).toBeLessThanOrEqual(README_WORDS);
});

test(`the documents have at most ${ALL_WORDS} words together`, () => {
  expect(DOCUMENTS.length).toBeGreaterThan(15);
  expect(DOCUMENTS.reduce((sum, path) => sum + wordsOf(path), 0)).toBeLessThanOrEqual(ALL_WORDS);
});

test.each([...DOCUMENTS, ...markdown('lab/notes')])('%s: its links lead to files and headings', (page) => {
  expect(deadLinks(page)).toEqual([]);
});
