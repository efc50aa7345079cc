/**
 * `THIRD_PARTY_LICENSES.txt` beside the built page: the licence of every package that a part of the page comes from, with the notices that
 * it asks to be passed on. Packages are read off the modules of the bundles, workers' among them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin, Rolldown } from 'vite';

export const LICENSES_FILE = 'THIRD_PARTY_LICENSES.txt';

const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Modules that are made while building, by their names, and the package that they are of. */
const MADE: readonly (readonly [RegExp, string])[] = [
  [/^rolldown\/runtime/, 'rolldown'],
  [/^vite\/|^__vite-/, 'vite'],
  // AssemblyScript's own library is compiled into them.
  [/^virtual:simd-kernels/, 'assemblyscript'],
];

/** A licence that a package names without its text. */
const APACHE = readFileSync(join(packages, '@huggingface/transformers/LICENSE'), 'utf8');
const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
  readonly repository?: string | { readonly url: string };
}

/** The text of a licence that a package only names. @throws Error for another than Apache-2.0 and MIT */
function standardText({ name, license, author, repository: source }: Manifest): string {
  const holder = typeof author === 'string' ? author : author?.name;
  const address = typeof source === 'string' ? source : source?.url;
  const notice = `Copyright (c) ${holder ?? `the authors of ${name}`}${address === undefined ? '' : ` (${address})`}\n\n`;
  if (license === 'Apache-2.0') return `${notice}${APACHE}`;
  if (license === 'MIT') return `${notice}${MIT}`;
  throw new Error(
    `${name} has no file with its licence and names "${String(license)}". Add the text of that licence to src/page/vite/thirdPartyLicenses.ts.`,
  );
}

const LICENSE_FILE = /^(licen[cs]e|copying|copyright|notice|third.?party.?(licenses|notices))([.-].*)?$/i;

/** The title and the licence text of the package in a folder, which have to be passed on. @throws Error where its licence is not known */
export function licenseOf(folder: string): { readonly title: string; readonly text: string } {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const names = readdirSync(folder).filter((name) => LICENSE_FILE.test(name));
  const texts = names.sort().map((name) => readFileSync(join(folder, name), 'utf8'));
  const { name, version, license = 'its own licence' } = manifest;
  const text = texts.length > 0 ? texts.join('\n\n') : standardText(manifest);
  return { title: `${name} ${version} (${license})`, text: text.replaceAll('\r\n', '\n').trim() };
}

/** The folder of the package that a module is of; null for one below `root`, which is ours. @throws Error for one of which that is not known */
function folderOf(module: string, root: string): string | null {
  const id = module.replace(/^\0/, '').replace(/\?.*$/, '');
  const at = id.lastIndexOf('/node_modules/');
  if (at >= 0) {
    const parts = id.slice(at + '/node_modules/'.length).split('/');
    return join(id.slice(0, at), 'node_modules', ...parts.slice(0, parts[0]?.startsWith('@') ? 2 : 1));
  }
  const made = MADE.find(([name]) => name.test(id));
  if (made) return join(packages, made[1]);
  if (existsSync(id) && id.startsWith(join(root, '/'))) return null;
  throw new Error(`The module ${id} is of no package that src/page/vite/thirdPartyLicenses.ts knows.`);
}

/** The text of the file, packages in order of their names; those of the same licence share one text. */
export function licensesText(folders: Iterable<string>): string {
  const titles = new Map<string, string[]>();
  for (const { title, text } of [...folders].map(licenseOf).sort((a, b) => (a.title < b.title ? -1 : 1)))
    titles.set(text, [...(titles.get(text) ?? []), title]);
  const line = '-'.repeat(80);
  return [
    'This page contains parts of the packages below, each under its own licence.\n',
    ...[...titles].map(([text, names]) => `${line}\n${names.join('\n')}\n${line}\n\n${text}\n`),
  ].join('\n');
}

/**
 * `copied`: packages of which files lie beside the page as they are. `inWorkers` goes to the plugins of workers. `of`: what is built, a page
 * or a program.
 */
export function thirdPartyLicenses(
  copied: readonly string[],
  of: 'client' | 'server' = 'client',
): {
  readonly inPage: Plugin;
  readonly inWorkers: () => Plugin;
} {
  const folders = new Set(copied.map((name) => join(packages, name)));
  const collect = (bundle: Rolldown.OutputBundle, root: string): void => {
    for (const output of Object.values(bundle))
      for (const id of output.type === 'chunk' ? output.moduleIds : []) {
        const folder = folderOf(id, root);
        if (folder !== null) folders.add(folder);
      }
  };
  return {
    inPage: {
      name: 'third-party-licenses',
      generateBundle: {
        // Behind what others add.
        order: 'post',
        handler(_, bundle) {
          if (this.environment.config.consumer !== of) return;
          collect(bundle, this.environment.config.root);
          this.emitFile({ type: 'asset', fileName: LICENSES_FILE, source: licensesText(folders) });
        },
      },
    },
    inWorkers: () => ({
      name: 'third-party-licenses-of-workers',
      generateBundle(_, bundle) {
        collect(bundle, this.environment.config.root);
      },
    }),
  };
}
