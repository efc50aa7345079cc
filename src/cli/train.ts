/** `npx rl-playground train`: the page's Train button from the command line. Exit codes: 0 done, 1 failed, 2 bad arguments, 128 and more ended by a signal (130: Ctrl-C). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BadInput, orBadInput } from '@rl-playground/base/errors';
import { jsonText } from '@rl-playground/base/json';
import { type RunConfig, answersInStep } from '@rl-playground/run/settings';
import { recordedName } from '@rl-playground/engine/parts';
import { filesAtPath, inside } from '@rl-playground/engine/parts/node';
import { payoffText, workOf } from '@rl-playground/machines';
import type { SftFile } from '@rl-playground/run/sft';
import { BASE_FILE, holdsBase } from '@rl-playground/run/checkpoint';
import { BUNDLED_MODELS, modelProblem, isScratchModel } from '@rl-playground/run/models';
import type { RunSnapshot } from '@rl-playground/run/session';
import { ensureBuilt } from './build.ts';
import { checkDataWords, readDataWords, type GivenData, readSftFiles } from './dataWords.ts';
import { replaceFile } from '@rl-playground/run/disk';
import type { HubWords } from './hubOptions.ts';
import { Interruption } from './interruption.ts';
import { printLine, printProblem } from '@rl-playground/base/print';
import { program } from './program.ts';
import { reopenRun, type ReopenedRun } from './resume.ts';
import { beginRun, type RunFolder } from './runDirectory.ts';
import { RunRecorder } from './runRecorder.ts';
import { recordedRewardModel, rewardModelFor, type RewardModelOnDisk } from './rewardModelOnDisk.ts';
import { runLines } from './runLines.ts';
import { serve, type PageHost } from './serve.ts';
import { readStartData, writeStart, writeStartData } from './startRecord.ts';
import { parseTrainArguments, type ResumeArguments, type TrainArguments } from './trainArguments.ts';
import {
  bundledModel,
  fetchedModel,
  isModelNamed,
  keepSpeed,
  modelFor,
  modelRecord,
  recordedModel,
  type ModelOnDisk,
} from './trainModel.ts';
import { checkTrackers, startTrackers } from './trackersBeside.ts';
import { openTrainPage, type TrainPage } from './trainPage.ts';
import {
  finalLines,
  machineLines,
  machineRecords,
  resultRecord,
  printer,
  untrainedLines,
} from './trainReport.ts';
import { bridgeTo } from './webSocketBridge.ts';

/** The work of a page, and its input. */
interface Job extends Pick<
  TrainArguments,
  'config' | 'backend' | 'json' | 'verbose' | 'full' | 'track' | 'join'
> {
  readonly work: 'train' | 'evaluate';
  readonly folder: RunFolder | null;
  /** The model, if it is not one that the page knows by name. */
  readonly model: ModelOnDisk | null;
  readonly rewardModel: RewardModelOnDisk | null;
  /** The rows for the warm-up, if the settings name some. */
  readonly rows: SftFile | null;
  /** The rows for the task, if they were given. */
  readonly data: GivenData | null;
  /** The folder of the checkpoint to continue from; null for a new run. */
  readonly checkpoint: string | null;
  /** The updates of the warm-up that were made before. */
  readonly warmed: number;
}

/** Checks before an hour of training, and not after, that results can be written. */
function prepareResults(json: string | null): void {
  if (json === null) return;
  mkdirSync(dirname(json), { recursive: true });
  writeFileSync(json, '', { flag: 'a' });
}

/** Gives the page the input of the job besides its settings. */
async function give(page: TrainPage, { model, rewardModel, rows, data, checkpoint }: Job): Promise<void> {
  if (model !== null) await page.giveModel(model, model.paths);
  if (rewardModel !== null) await page.giveRewardModel(rewardModel.name, rewardModel.path);
  if (rows !== null) await page.giveRows(rows);
  if (data !== null) await page.giveData(data);
  if (checkpoint !== null) await page.giveCheckpoint(checkpoint);
}

/** Writes the end of a run: its last model and its results. */
async function finish(folder: RunFolder, page: TrainPage, last: RunSnapshot, job: Job): Promise<void> {
  const modelName = last.modelName ?? job.config.model;
  const zip = await page.checkpoint('now', { full: job.full });
  await folder.finish({ ...last, modelName, rolloutStepsForgotten: 0 }, zip);
  printLine(`wrote the run to ${folder.path}`);
}

/** Trains and writes what was asked for. Resolves to the exit code: 0 if the run came to its end without an error. */
async function run(job: Job, host: PageHost): Promise<number> {
  const { config, json, folder, full } = job;
  const answers = answersInStep(config);
  const interruption = new Interruption((code) => process.exit(code));
  const leave = interruption.listen();
  const bridge = job.join && (await bridgeTo(job.join.address, host));
  const page = await openTrainPage(host.url, job);
  const recorder = folder && new RunRecorder(folder, page, { full });
  try {
    if (job.join && bridge) await page.join(bridge.address, job.join.local);
    await give(page, job);
    if (folder)
      writeStart(folder.path, {
        backend: await page.backend(),
        full,
        model: job.model && modelRecord(job.model),
        rewardModel: job.rewardModel,
      });
    printLine(`${page.adapter}\nTraining ${config.task}: ${config.numSteps} steps of ${answers} answers.`);
    const print = printer(config, job.verbose, job.warmed);
    interruption.runs(() => page.stop());
    recorder?.begin();
    const training = page.train(
      config,
      (update) => {
        print(update);
        recorder?.record(update);
      },
      job.work,
    );
    const last = await (recorder ? Promise.race([training, recorder.failed]) : training);
    if (recorder) await Promise.race([recorder.end(), recorder.failed]);
    await keepSpeed(config, job.model, last);
    const sound = !last.notices.some(({ kind }) => kind === 'error');
    const finished = sound && (last.phase === 'finished' || job.work === 'evaluate');
    printLine(finalLines(last, last.metrics.length * answers));
    const work = workOf(last.metrics, config.schedule);
    if (work) printLine(payoffText(work));
    const untrained = sound && last.step > 0 && last.promptStyle === 'full' ? await page.untrained() : null;
    if (untrained !== null) printLine(untrainedLines(untrained));
    const machines = job.join && (await page.machines());
    for (const line of machineLines(machines ?? [])) printLine(line);
    if (json !== null)
      replaceFile(json, `${JSON.stringify(resultRecord(last, config, { machines, untrained }), null, 2)}\n`);
    if (!finished)
      printProblem(
        `The run ended after ${last.step} of ${config.numSteps} steps, in the state "${last.phase}".`,
      );
    const stopped = sound && last.phase === 'stopped' ? interruption.code : null;
    if (folder !== null && machines)
      replaceFile(inside(folder.path, 'machines.json'), jsonText(machineRecords(machines)));
    if (folder !== null && (finished || stopped !== null)) await finish(folder, page, last, job);
    return finished ? 0 : (stopped ?? 1);
  } finally {
    leave();
    await page.close();
    bridge?.close();
  }
}

async function onBuiltPage(job: Job): Promise<number> {
  if (job.folder) startTrackers(job.folder.path, job.track, (text) => printLine(text));
  await ensureBuilt();
  const host = await serve({ port: 0 });
  try {
    return await run(job, host);
  } finally {
    await host.close();
  }
}

/** @throws BadInput */
function prepareOutputs(config: RunConfig, { json, out }: TrainArguments): RunFolder | null {
  return orBadInput(
    () => {
      prepareResults(json);
      return out === null ? null : beginRun(out, config);
    },
    (why) => `The results have nowhere to go: ${why}`,
  );
}

async function train(parsed: TrainArguments): Promise<number> {
  if (parsed.out !== null) checkTrackers(parsed.out, parsed.track, process.env);
  const given = orBadInput(() => readSftFiles(parsed.config));
  checkDataWords(parsed.data, parsed.config);
  const problem = isModelNamed(parsed.config.model) ? modelProblem(parsed.config) : null;
  if (problem !== null) throw new BadInput(`${problem.title}. ${problem.text}`);
  const data = await readDataWords(parsed.data, parsed.config, parsed.hub);
  const named = await modelFor(parsed);
  // A run records the name of a folder of this machine, and not its path; run.json has that, for those who go on with it.
  const name = named ? recordedName(named.found.model) : given.config.model;
  const rewardModel = await rewardModelFor(parsed);
  const config = {
    ...given.config,
    ...named?.settings,
    model: name,
    ...(rewardModel && { rewardModel: rewardModel.name }),
  };
  for (const line of runLines(config)) printLine(line);
  for (const note of [...parsed.notes, ...(named?.settings ? [named.note] : [])]) printLine(note);
  // A model that is made for the run is nowhere else.
  const full = parsed.full || isScratchModel(config.model);
  const folder = prepareOutputs(config, parsed);
  try {
    if (folder)
      writeStartData(folder.path, {
        customTasks: data?.customTasks ?? [],
        ...(data && data.taskRows.length > 0 && { taskRows: data.taskRows }),
        ...(given.file && { sftFile: given.file }),
      });
    const model = named && (await fetchedModel(named.found, { ...parsed, config }));
    if (folder)
      writeStart(folder.path, {
        backend: parsed.backend,
        full,
        model: model && modelRecord(model),
        rewardModel,
      });
    return await onBuiltPage({
      ...parsed,
      config,
      full,
      work: 'train',
      folder,
      model,
      rewardModel,
      rows: given.file,
      data,
      checkpoint: null,
      warmed: 0,
    });
  } finally {
    folder?.release();
  }
}

/** The model that continuing needs: all of it at the beginning of a run, later the base of the checkpoint's adapter. */
async function modelToGoOn(
  { config, start, checkpoint, folder }: ReopenedRun,
  hub: HubWords,
): Promise<ModelOnDisk | null> {
  if (checkpoint !== null) {
    const files = await filesAtPath(join(folder.path, checkpoint.name));
    if (files.names?.includes(BASE_FILE) !== true || (await holdsBase(files))) return null;
    if (BUNDLED_MODELS.includes(config.model)) return bundledModel(config.model);
  }
  const model = start.model && (await recordedModel(start.model, hub));
  // A checkpoint holds the adapter as it is now.
  return model && checkpoint ? { ...model, paths: { ...model.paths, adapter: null } } : model;
}

async function resume({
  resume: path,
  numSteps,
  json,
  verbose,
  track,
  join: joining,
  hub,
}: ResumeArguments): Promise<number> {
  checkTrackers(path, track, process.env);
  const reopened = await reopenRun(path, numSteps, (text) => printProblem(`warning: ${text}.`));
  const { folder, config, start, checkpoint, finished, notes } = reopened;
  try {
    const done = checkpoint?.state.step ?? 0;
    if (finished) {
      printLine(
        `The run in ${path} is finished: ${done} of ${config.numSteps} steps are made. --num-steps with a larger number goes on from there.`,
      );
      return 0;
    }
    prepareResults(json);
    const from = checkpoint?.name ?? 'its beginning, for want of a checkpoint';
    printLine(`Going on with ${path} at step ${done} of ${config.numSteps}, from ${from}.`);
    for (const note of notes) printLine(note);
    const model = await modelToGoOn(reopened, hub);
    // A checkpoint brings its own.
    const { customTasks, taskRows, sftFile } = await readStartData(path, config);
    const begins = checkpoint === null;
    return await onBuiltPage({
      config,
      json,
      verbose,
      track,
      join: joining,
      backend: start.backend,
      full: start.full,
      folder,
      model,
      rewardModel: await recordedRewardModel(start, hub),
      work: done < config.numSteps ? 'train' : 'evaluate',
      rows: begins ? (sftFile ?? null) : null,
      data: begins ? { customTasks, taskRows: taskRows ?? [] } : null,
      checkpoint: checkpoint && join(path, checkpoint.name),
      warmed: checkpoint?.state.sftLosses.length ?? 0,
    });
  } finally {
    folder.release();
  }
}

export default program(parseTrainArguments, (asked: TrainArguments | ResumeArguments) =>
  'resume' in asked ? resume(asked) : train(asked),
);
