/** Sends the files of a folder to a repository of the Hub, for `npx rl-playground export --push`. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bytesText, plural } from '@rl-playground/base/text';
import { pushFiles, type PushProgress } from '@rl-playground/bridges/push';
import { checkTarget, type PushTarget } from '@rl-playground/bridges/push/target';
import type { OpenFile } from '@rl-playground/engine/parts';
import type { HubWords } from './hubOptions.ts';
import { printLine, printProblem } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { hubSecret } from '@rl-playground/bridges/trackers';

/** Checks the target before anything is computed. @throws BadInput, ModelFileError */
export function pushTarget(repo: string, isPrivate: boolean, { hubUrl }: HubWords): PushTarget {
  const secret = hubSecret(hubUrl, process.env);
  if (secret === undefined) throw new BadInput('--push needs a token that may write, in HF_TOKEN.');
  const target = { repo, isPrivate, secret, ...(hubUrl === undefined ? {} : { hubUrl }) };
  checkTarget(target);
  return target;
}

const WORDS = { hashing: 'checksums', sending: 'sent', committing: 'committing' } as const;
/** Milliseconds between two lines. */
const LINE_MILLISECONDS = 2000;

/** Sends the files in `folder` under their names. @throws ModelFileError that says what to do */
export async function pushFolder(
  folder: string,
  files: ReadonlyMap<string, OpenFile>,
  target: PushTarget,
): Promise<void> {
  const bytes = [...files.values()].reduce((sum, { size }) => sum + size, 0);
  printLine(`sending ${plural(files.size, 'file')}, ${bytesText(bytes)}, to ${target.repo}`);
  const onDisk = [...files].map(
    ([name, { size }]) => [name, { size, content: pathToFileURL(join(folder, name)) }] as const,
  );
  let said = performance.now();
  const { url, commit } = await pushFiles(() => Promise.resolve(new Map(onDisk)), target, {
    onProgress: ({ stage, done, total }: PushProgress) => {
      if (performance.now() - said < LINE_MILLISECONDS) return;
      said = performance.now();
      printProblem(`${WORDS[stage]}: ${bytesText(done)} of ${bytesText(total)}`);
    },
    onRetry: (why) => printProblem(`${why}; trying again`),
  });
  printLine(`${url}${commit === null ? '' : ` at commit ${commit}`}`);
}
