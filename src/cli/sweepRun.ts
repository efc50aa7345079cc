/**
 * One run in a process of its own, for `npx rl-playground sweep`: it is told over Node's channel to its parent what to run, says what
 * happens, and ends with the parent. Exit codes: 0 done, 1 failed.
 */
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fromCaller } from '@rl-playground/engine/parts/node';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { messageOf } from '@rl-playground/base/errors';
import { loadModelNamed } from '@rl-playground/run/models/node';
import { BUNDLED_MODELS, isScratchModel, makeScratchModel } from '@rl-playground/run/models';
import { readDataWords } from './dataWords.ts';
import { hubOptions } from './hubOptions.ts';
import { runInNode } from './nodeRun.ts';
import { beginRun } from './runDirectory.ts';
import { writeStart } from './startRecord.ts';
import { RECORD_FILE, type RunNews, type RunOrder } from './sweepProcess.ts';
import { resultRecord } from './trainReport.ts';

const tell = (news: RunNews): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined) throw new Error('This program is started by npx rl-playground sweep.');
    process.send(news, () => resolve());
  });

async function make({ config: asked, modelFile, folder, every, words }: RunOrder): Promise<RunNews> {
  const name = asked.model;
  const { line: backend } = await startBackendInNode();
  const say = (text: string): void => void tell({ kind: 'line', text });
  await readDataWords(words, asked, words, say);
  const loaded = isScratchModel(name)
    ? await makeScratchModel(asked)
    : await loadModelNamed(name, hubOptions(words), modelFile);
  // A run records the name of a folder of this machine, and not its path.
  const config = { ...asked, model: loaded.name };
  const run = beginRun(folder, config);
  try {
    const [own, path] = [BUNDLED_MODELS.includes(name) || isScratchModel(name), fromCaller(name)];
    // A run of a model of a server, or from an adapter, can't be resumed, because nothing names the files of the model.
    if (own || basename(path) === loaded.name)
      writeStart(run.path, {
        backend: 'wasm',
        full: isScratchModel(name),
        model: own
          ? null
          : { label: name, paths: { model: path, adapter: null }, adapter: null, origin: null },
      });
    const done = await runInNode(config, loaded, { every, say, folder: run });
    const { metrics, evaluations, sftLosses, wallSeconds } = done;
    const json = JSON.stringify(
      resultRecord(
        {
          metrics,
          evaluations,
          modelName: loaded.name,
          wallSeconds,
          backend: { backend: 'wasm', line: backend },
          sft: { losses: sftLosses },
        },
        config,
      ),
    );
    writeFileSync(join(run.path, RECORD_FILE), `${json}\n`, { flush: true });
    return { kind: 'done' };
  } finally {
    run.release();
  }
}

export default (): Promise<number> =>
  new Promise((resolve) => {
    // Whoever asked for the run is gone: nobody would take it.
    process.once('disconnect', () => process.exit(1));
    process.once('message', (order: RunOrder) => {
      make(order)
        .catch((error: unknown): RunNews => ({ kind: 'failed', message: messageOf(error) }))
        .then(async (news) => {
          await tell(news);
          process.removeAllListeners('disconnect');
          process.disconnect();
          resolve(news.kind === 'done' ? 0 : 1);
        })
        .catch(() => resolve(1));
    });
  });
