/** `npm run train`: the page's Train button from the command line. Exit codes: 0 done, 1 failed, 2 bad arguments, 130 ended by Ctrl-C. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname } from 'node:path';
import { messageOf } from '../src/base/errors.ts';
import { bytesText, grouped } from '../src/base/text.ts';
import type { RunConfig } from '../src/config/schema.ts';
import { readModelConfig } from '../src/hub/load.ts';
import { filesAtPath } from '../src/hub/filesInNode.ts';
import { readPeftSettings } from '../src/hub/peft.ts';
import { loraSettings, loraText } from '../src/run/models/adapterSettings.ts';
import {
  bundledFolder,
  findModelNamed,
  type FoundModel,
  type ModelPaths,
} from '../src/run/models/modelsInNode.ts';
import type { ModelFiles } from '../src/hub/types.ts';
import { UNKNOWN_LIMITS } from '../src/run/plan/limits.ts';
import { modelOfFiles } from '../src/run/plan/model.ts';
import { planRun } from '../src/run/plan/plan.ts';
import { ratesOf } from '../src/run/plan/rates.ts';
import { parameterCount } from '../src/model/parameters.ts';
import { LARGE_MODEL_NOTE, largeModelSettings } from '../src/run/models/largeModels.ts';
import { BUNDLED_MODELS, modelProblem } from '../src/run/models/namedModels.ts';
import { isScratchModel } from '../src/run/models/scratchModels.ts';
import { answersInStep } from '../src/config/stepSizes.ts';
import { klCause } from '../src/rl/diagnosis/klCause.ts';
import type { StepMetrics } from '../src/rl/metrics/index.ts';
import type { SftFile } from '../src/rl/sft/sftRows.ts';
import type { RunSnapshot } from '../src/run/types.ts';
import { ensureBuilt } from './build.ts';
import { checkDataWords, readDataWords, type GivenData } from './dataWords.ts';
import { INTERRUPTED, Interruption } from './interruption.ts';
import { hubOptions } from './hubOptions.ts';
import { keepMachineRates } from './machineRates.ts';
import { BadInput, program } from './program.ts';
import { RunFolder } from './runDirectory.ts';
import { serve } from './serve.ts';
import { parseTrainArguments } from './trainArguments.ts';
import type { TrainArguments } from './trainArguments.ts';
import { openTrainPage } from './trainPage.ts';
import type { RunUpdate, TrainPage } from './trainPage.ts';
import {
  evalSampleLines,
  evaluationLine,
  finalLines,
  resultRecord,
  rolloutLines,
  stepLine,
  sftLine,
} from './trainReport.ts';
import { readSftFiles, type SftRows } from './sftRows.ts';

/** Answers that `--verbose` shows of each step and of each evaluation. */
const SAMPLES_SHOWN = 2;

/** Finds out before an hour of training, not after, that results have nowhere to go. */
function prepareOutputs({ config, json, out }: TrainArguments): RunFolder | null {
  if (json !== null) {
    mkdirSync(dirname(json), { recursive: true });
    writeFileSync(json, '', { flag: 'a' });
  }
  return out === null ? null : new RunFolder(out, config);
}

/** Writes what is new, checkpoints one after the other; `written` is awaited before the page goes. */
function recorder(folder: RunFolder, page: TrainPage, full: boolean) {
  let writing: Promise<void> = Promise.resolve();
  const save = async (step: number): Promise<void> => {
    try {
      await folder.checkpoint(step, await page.checkpoint(step, { full }));
    } catch (error) {
      console.error(`The checkpoint of step ${step} was not written: ${messageOf(error)}`);
    }
  };
  return {
    record({
      metrics,
      evaluations,
      rolloutLines,
      savedCheckpoints,
      overriddenPlan,
      ...update
    }: RunUpdate): void {
      if (overriddenPlan) folder.overriddenPlan(overriddenPlan);
      folder.sft(update.sft, update.sftTokens);
      folder.log(metrics, evaluations);
      folder.rollouts(rolloutLines);
      for (const step of savedCheckpoints) writing = writing.then(() => save(step));
    },
    written: (): Promise<void> => writing,
  };
}

/** Says what likely moves sampler and trainer apart, once for each cause. */
function klWatch(config: RunConfig): (metrics: readonly StepMetrics[]) => void {
  const said = new Set<string>();
  let history: readonly StepMetrics[] = [];
  return (metrics) => {
    history = [...history, ...metrics];
    const cause = metrics.length === 0 ? null : klCause(history, config);
    if (cause === null || said.has(cause.kind)) return;
    said.add(cause.kind);
    console.error(`warning: ${cause.title}. ${cause.text}`);
  };
}

function printer({ config, verbose }: TrainArguments, answers: number): (update: RunUpdate) => void {
  const watch = klWatch(config);
  let warmed = 0;
  return ({ sft, metrics, evaluations, notices, rollouts }) => {
    for (const loss of sft) {
      const line = sftLine(++warmed, config.warmStartSteps, loss);
      if (line !== null) console.log(line);
    }
    for (const record of metrics) console.log(stepLine(record, answers, config.schedule));
    watch(metrics);
    if (verbose) for (const rollout of rollouts.slice(0, SAMPLES_SHOWN)) console.log(rolloutLines(rollout));
    for (const evaluation of evaluations) {
      console.log(evaluationLine(evaluation));
      const samples = verbose ? evaluation.samples.slice(0, SAMPLES_SHOWN) : [];
      for (const sample of samples) console.log(evalSampleLines(sample));
    }
    for (const { kind, title, text } of notices) console.error(`${kind}: ${title}. ${text}`);
  };
}

/** Writes the end of a run: its last model and its results. */
async function finish(
  folder: RunFolder,
  page: TrainPage,
  last: RunSnapshot,
  { config, full }: TrainArguments,
): Promise<void> {
  const modelName = last.modelName ?? config.model;
  const zip = await page.checkpoint('now', { full });
  await folder.finish({ ...last, modelName, rolloutStepsForgotten: 0 }, zip);
}

/** A folder or zip, the adapter's, and what is said and recorded of the model. */
interface ModelOnDisk extends Pick<ModelFiles, 'label' | 'origin'> {
  readonly paths: ModelPaths;
}

/** For `npm run plan`: how fast this machine was. Runs of models that are made anew are not counted. */
async function keepSpeed(
  config: RunConfig,
  model: ModelOnDisk | null,
  { metrics, backend }: RunSnapshot,
): Promise<void> {
  const { model: name } = config;
  const path = model?.paths.model ?? (BUNDLED_MODELS.includes(name) ? bundledFolder(name) : null);
  if (path === null) return;
  const rates = ratesOf({ config: await readModelConfig(await filesAtPath(path)) }, config, metrics);
  if (rates && backend) keepMachineRates(backend.backend, rates);
}

/** What a run takes besides its settings. */
interface Given {
  /** Rows for the warm start, where the settings name some. */
  readonly rows: SftFile | null;
  /** Rows for the task, where they were given. */
  readonly data: GivenData | null;
  /** The model, where it is not one that the page knows by name. */
  readonly model: ModelOnDisk | null;
}

/** Trains and writes what was asked for. Resolves to the exit code: 0 where the run came to its end without an error. */
async function run(
  words: TrainArguments,
  { rows, data, model }: Given,
  folder: RunFolder | null,
  url: string,
): Promise<number> {
  const { config, json, out, full } = words;
  const answers = answersInStep(config);
  const interruption = new Interruption((code) => process.exit(code));
  const interrupted = () => interruption.take();
  process.on('SIGINT', interrupted);
  const page = await openTrainPage(url, words);
  try {
    if (model !== null) await page.giveModel(model, model.paths);
    console.log(`${page.adapter}\nTraining ${config.task}: ${config.numSteps} steps of ${answers} answers.`);
    const print = printer(words, answers);
    const records = folder === null ? null : recorder(folder, page, full);
    if (rows !== null) await page.giveRows(rows);
    if (data !== null) await page.giveData(data);
    interruption.runs(() => page.stop());
    const last: RunSnapshot = await page.train(config, (update) => {
      print(update);
      records?.record(update);
    });
    await records?.written();
    await keepSpeed(config, model, last);
    const sound = !last.notices.some(({ kind }) => kind === 'error');
    const finished = last.phase === 'finished' && sound;
    console.log(finalLines(last, last.metrics.length * answers));
    if (json !== null) writeFileSync(json, `${JSON.stringify(resultRecord(last, config), null, 2)}\n`);
    if (!finished)
      console.error(
        `The run ended after ${last.step} of ${config.numSteps} steps, in the state "${last.phase}".`,
      );
    const stopped = interruption.asked && last.phase === 'stopped' && sound;
    if (folder !== null && (finished || stopped)) {
      await finish(folder, page, last, words);
      console.log(`wrote the run to ${out}`);
    }
    return finished ? 0 : stopped ? INTERRUPTED : 1;
  } finally {
    process.off('SIGINT', interrupted);
    await page.close();
  }
}

/** Whether the page has or makes the model. */
const isModelNamed = (name: string): boolean => BUNDLED_MODELS.includes(name) || isScratchModel(name);

/** A model that the page does not know by name, and what it does to settings that say nothing else. */
interface GivenModel {
  readonly found: FoundModel;
  readonly settings: Partial<RunConfig> | null;
  /** What is said of that. */
  readonly note: string;
}

/**
 * Null for a model that the page has or makes. An architecture or an adapter that is not supported is refused here, before anything
 * starts.
 * @throws ModelFileError
 */
async function modelFor({ config, hub, adapter, loraStated }: TrainArguments): Promise<GivenModel | null> {
  const { model } = config;
  if (isModelNamed(model) && adapter === null) return null;
  const found = await findModelNamed(model, hubOptions(hub), adapter ?? undefined);
  const parameters = parameterCount(await readModelConfig(found.model));
  if (found.adapter === null) {
    const settings = loraStated ? null : largeModelSettings(parameters, config);
    return { found, settings, note: LARGE_MODEL_NOTE };
  }
  const lora = await readPeftSettings(found.adapter);
  const settings = loraStated
    ? null
    : { ...largeModelSettings(parameters, { loraRank: 0 }), ...loraSettings(lora) };
  return {
    found,
    settings,
    note: `The run begins from the adapter ${found.adapter.label}: ${loraText(lora)}.`,
  };
}

/** What a model of a server will take, said before any of its weights is fetched; from then on it is on this machine. */
async function fetchedModel(found: FoundModel, words: TrainArguments): Promise<ModelOnDisk> {
  const { model: files, remoteBytes } = found;
  if (remoteBytes === 0) return { ...files, paths: await found.fetched() };
  const { config, backend } = words;
  const model = await modelOfFiles(files, config);
  const limits = { ...UNKNOWN_LIMITS, hostBytes: totalmem() };
  const { peak } = planRun({ model, config, limits, backend: backend ?? 'webgpu', rates: null });
  const memory =
    backend === 'wasm'
      ? bytesText(peak.host)
      : `${bytesText(peak.gpu)} on the GPU and ${bytesText(peak.host)} beside it`;
  console.log(
    `${files.label} at ${files.origin?.commit ?? 'no commit'}: ${grouped(parameterCount(model.config))} parameters in ${model.storedType}, ${bytesText(remoteBytes)} of files; the run takes about ${memory}.`,
  );
  return { ...files, paths: await found.fetched() };
}

async function train(parsed: TrainArguments): Promise<number> {
  let given: SftRows;
  try {
    given = readSftFiles(parsed.config);
  } catch (error) {
    throw new BadInput(messageOf(error), { cause: error });
  }
  checkDataWords(parsed.data, parsed.config);
  const problem = isModelNamed(parsed.config.model) ? modelProblem(parsed.config) : null;
  if (problem !== null) throw new BadInput(`${problem.title}. ${problem.text}`);
  const data = await readDataWords(parsed.data, parsed.config, parsed.hub);
  const model = await modelFor(parsed);
  const words = { ...parsed, config: { ...given.config, ...model?.settings } };
  for (const note of [...words.notes, ...(model?.settings ? [model.note] : [])]) console.log(note);
  let folder: RunFolder | null;
  try {
    folder = prepareOutputs(words);
  } catch (error) {
    throw new BadInput(`The results have nowhere to go: ${messageOf(error)}`, { cause: error });
  }
  const onDisk = model && (await fetchedModel(model.found, words));
  await ensureBuilt();
  const host = await serve({ port: 0 });
  try {
    return await run(words, { rows: given.file, data, model: onDisk }, folder, host.url);
  } finally {
    await host.close();
  }
}

export default program(parseTrainArguments, train);
