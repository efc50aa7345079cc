/** Checks that no linter has: a lockfile for every reader, no comment that silences a check, no page that names a missing file. */
import { posix } from 'node:path';
import * as z from 'zod';

function addressesIn(value: unknown, path: string): string[] {
  if (typeof value === 'string') return value.includes('://') ? [`${path}: ${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  // A link names a folder of the repository: one of its own packages.
  const isLink = 'link' in value && value.link === true;
  return Object.entries(value).flatMap(([key, part]) => {
    if (key === 'resolved' && !isLink) return [`${path}: ${key}`];
    // An address for donations is no place to download from.
    return key === 'funding' ? [] : addressesIn(part, path === '' ? key : `${path} ${key}`);
  });
}

/** One line per address in a package-lock.json. The place to install from is the reader's own choice (see .npmrc). */
export function addressesInLockfile(text: string): string[] {
  return addressesIn(JSON.parse(text), '');
}

const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({ optionalDependencies: z.record(z.string(), z.string()).optional() }),
  ),
});

/**
 * One line per optional package that is named and not locked: `npm ci` refuses such a lockfile. It happens where a
 * registry lacks the builds for other systems.
 */
export function unlockedPackages(text: string): string[] {
  const { packages } = lockfile.parse(JSON.parse(text));
  const paths = Object.keys(packages);
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !paths.some((locked) => locked.endsWith(`node_modules/${name}`)))
      .map((name) => `${name}, wanted by ${path}`),
  );
}

const SUPPRESSION = /(eslint|oxlint|tslint|prettier|oxfmt)-(disable|ignore)|@ts-(ignore|nocheck)/;

/** One line per comment that switches a check off. `files` maps paths to texts. */
export function suppressions(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, text]) =>
    text
      .split('\n')
      .flatMap((line, index) => (SUPPRESSION.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );
}

const ACTION = /^\s*-?\s*uses:\s*(\S+)/;

/** One line per action of a workflow that is not named by its commit: a tag can be moved to other code. `workflows` maps paths to texts. */
export function movableActions(workflows: ReadonlyMap<string, string>): string[] {
  return [...workflows].flatMap(([path, text]) =>
    text.split('\n').flatMap((line) => {
      const action = ACTION.exec(line)?.[1] ?? './';
      return action.startsWith('./') || /@[0-9a-f]{40}$/.test(action) ? [] : [`${path}: ${action}`];
    }),
  );
}

/** A source file in code marks, from the repository's root or from `src`, or the target of a link in the repository. */
const NAMED_FILE = /`([\w-]+(?:\/[\w.-]+)+\.(?:tsx?|mjs|md))`|\]\((?!\w+:|#)([^)#\s]+)[^)]*\)/g;

/**
 * One line per file that a page of documentation names and that does not exist. `pages` maps paths to texts; `folders` are those of the
 * repository's root and of `src`: a path that begins elsewhere, such as a file of a run, is not looked at.
 */
export function missingFiles(
  pages: ReadonlyMap<string, string>,
  folders: ReadonlySet<string>,
  exists: (path: string) => boolean,
): string[] {
  return [...pages].flatMap(([page, text]) =>
    [...text.matchAll(NAMED_FILE)].flatMap(([, source, link]) => {
      const named = source ?? posix.join(posix.dirname(page), link ?? '');
      if (source !== undefined && !folders.has(source.split('/')[0] ?? '')) return [];
      return exists(named) || exists(`src/${named}`) ? [] : [`${page}: ${named}`];
    }),
  );
}

const TEST = /\.(test|suite|spec)\.tsx?$/;
/** A number of milliseconds after a test, in an option of a wait, and a sleep. */
const OWN_LIMIT =
  /^\s*\},\s*[\d_]{3,},?\s*\)|\btimeout:\s*\d|\bwaitForTimeout\(|\btest\.(slow|setTimeout)\(|\bsetTimeout\(\w+, [\d_]{2,}\)/gim;

/** One line for each limit in wall time, and each timed sleep, that a test has of its own. */
export function ownLimits(files: ReadonlyMap<string, string>): string[] {
  return [...files]
    .filter(([path]) => TEST.test(path))
    .flatMap(([path, text]) =>
      [...text.matchAll(OWN_LIMIT)].map(
        ({ 0: found, index }) =>
          `${path}:${text.slice(0, index).split('\n').length}: ${found.trim().replaceAll(/\s+/g, ' ')}`,
      ),
    );
}

/** Variables of the environment that hold secrets. */
const SECRETS =
  'HF_TOKEN|WANDB_API_KEY|MLFLOW_TRACKING_USERNAME|MLFLOW_TRACKING_PASSWORD|MLFLOW_TRACKING_TOKEN|TRACKIO_WRITE_TOKEN';
const SECRET_READ = new RegExp(
  `(?:env|environment)(?:\\.|\\[['"\`])(?:${SECRETS})\\b|variable\\(\\w+, '(?:${SECRETS})'|\\{[^}]*\\b(?:${SECRETS})\\b[^}]*\\} = (?:process\\.)?env`,
  'g',
);
const FETCH =
  /(?:\b(?:globalThis|window|self)\.|(?<![\w.#$]|async ))fetch\((?!\))|\bnew XMLHttpRequest\b|\bhttps?\.(?:get|request)\(/g;
const TERMINAL = /\bprocess\.std(?:out|err)\.write\(/g;

/** The actions that only some modules may do. They bound each action, so that no value of a stranger's decides about it. */
const MODULES: readonly {
  readonly what: string;
  readonly found: RegExp;
  readonly modules: readonly string[];
}[] = [
  {
    what: 'a secret is read, which src/bridges/trackers/secrets.ts binds to a server',
    found: SECRET_READ,
    modules: ['src/bridges/trackers/secrets.ts'],
  },
  {
    what: 'the token of the page is read, which src/page/run/model/hubSettings.ts binds to a server',
    found: /\buseHub\b/g,
    modules: ['src/page/run/model/'],
  },
  {
    what: 'a server is asked, whose answer src/engine/hub/remote/answerBody.ts bounds',
    found: FETCH,
    modules: [
      'src/engine/hub/remote/request.ts',
      'src/engine/hub/remote/answerBody.ts',
      'src/engine/hub/sources.ts',
      'src/run/models/besidePage.ts',
      'src/page/serviceWorker.ts',
      'src/bridges/trackers/http.ts',
      'lab/webdriver.ts',
      // Shaders call a function of theirs so.
      'src/engine/kernels/',
    ],
  },
  {
    what: 'a text goes to the terminal, which src/base/print.ts keeps text',
    found: TERMINAL,
    modules: ['src/run/disk/fileLines.ts', 'lab/checks/testChecks.ts', 'src/cli/modelPage.ts'],
  },
];

/** One line for each place outside of these modules, and of the tests, that does it. */
export function outsideOfModule(files: ReadonlyMap<string, string>): string[] {
  const programs = [...files].filter(
    ([path]) => /^(?:src|cli|lab)\//.test(path) && !TEST.test(path) && !path.startsWith('src/testing/'),
  );
  return MODULES.flatMap(({ what, found, modules }) =>
    programs
      .filter(([path]) => !modules.some((module) => path.startsWith(module)))
      .flatMap(([path, text]) =>
        [...text.matchAll(found)].map(
          ({ 0: words, index }) => `${path}:${text.slice(0, index).split('\n').length}: ${words} (${what})`,
        ),
      ),
  );
}
