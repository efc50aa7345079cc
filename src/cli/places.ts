/** Where the command line finds what comes with it: in the repository what was built there, in the installed package what it brought along. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repository } from './tools.ts';

const site = fileURLToPath(new URL('../site/', import.meta.url));

/** Whether this is the package that npm installed. */
export const isInstalled = existsSync(site);

/** The built page. */
export const pageFolder = isInstalled ? site : join(repository, 'dist');

/** Words behind `node` that run a program of the command line. */
export const programWords = (name: string): string[] =>
  isInstalled
    ? [fileURLToPath(new URL('./main.js', import.meta.url)), name]
    : [join(repository, 'src/cli/run.mjs'), name];

/** The folder that such a program runs in. */
export const programFolder = isInstalled ? site : repository;
