/**
 * Reads the `config.json` that a run of the Tinker cookbook writes into its folder (`tinker_cookbook.rl.train.Config`, or the `Config` of
 * rl_loop). Most of its keys are settings here by their own names; the others are converted here.
 */
import { quoted } from '@rl-playground/base/valueSchemas';
import { isTree, type Tree } from '@rl-playground/run/settings/files';
import {
  ALL_NAMES,
  keyOfName,
  NESTED_NAMES,
  datasetTask,
  defaultConfig,
  PRESETS,
  replacedModel,
  RUN_FIELDS,
  type PresetName,
} from '@rl-playground/run/settings';
import { Account, KeyReader } from './reader.ts';
import { tinkerReason, trlReason } from './reasons.ts';
import { readTracking } from './tracking.ts';

/** The recipe of a file: rl_loop alone has its batch size outside of a data set's builder. */
const presetOf = (tree: Tree): PresetName =>
  Object.hasOwn(tree, 'batch_size') ? 'tinker-rl-loop' : 'tinker-rl-basic';

/** The settings that keys of a data set's builder are. `n_batches` is the length of a run that names no other. */
const OF_DATASET: Readonly<Record<string, string>> = {
  batch_size: 'groups_per_batch',
  groups_per_batch: 'groups_per_batch',
  group_size: 'group_size',
  n_batches: 'max_steps',
  seed: 'seed',
};

/** True if a file has keys that the cookbook alone knows, and none that TRL alone knows. */
export function isTinker(tree: Tree): boolean {
  const others = Object.keys(tree).filter((name) => keyOfName(name) === null);
  const known = others.map((name) => [tinkerReason(name) !== null, trlReason(name) !== null]);
  return known.some(([tinker, trl]) => tinker && !trl) && !known.some(([tinker, trl]) => trl && !tinker);
}

/** The task that asks rows as a file's recipe does; null for a recipe without rows, or with rows that no task is made for. */
export function tinkerDataset(tree: Tree): string | null {
  const builder = tree['dataset_builder'];
  const preset = presetOf(tree);
  // The class of a builder is not written down. Those of word problems alone have a worked example.
  const rows = isTree(builder) ? Object.hasOwn(builder, 'convo_prefix') : preset === 'tinker-rl-loop';
  return rows ? datasetTask(preset) : null;
}

/** True if a worked example comes before a question of GSM8K; undefined if the builder does not say. */
function readExample(builder: Tree, account: Account): boolean | undefined {
  if (!Object.hasOwn(builder, 'convo_prefix')) return undefined;
  const prefix = builder['convo_prefix'];
  if (prefix === null) return false;
  if (prefix !== 'standard')
    account.replaced.push(
      'Prompt: the worked example of this project instead of dataset_builder.convo_prefix.',
    );
  return true;
}

/** Gives settings by their names, and names that nobody knows. `chosen` is what was asked for beside the file. */
export function readTinker(
  whole: Tree,
  chosen: { readonly preset?: PresetName; readonly task?: string; readonly model?: string },
) {
  const account = new Account();
  const reader = new KeyReader(whole, '', account);
  readTracking(reader);
  // What is null there is left to the preset, but for modes that are switched off by it.
  const given = Object.entries(whole).filter(
    ([name, value]) => value !== null || NESTED_NAMES.includes(name),
  );
  const settings: [string, unknown][] = [];
  for (const [name, value] of given) {
    if (name === 'dataset_builder' && isTree(value)) continue;
    const known = keyOfName(name) !== null || NESTED_NAMES.includes(name);
    const reason = known ? null : (tinkerReason(name) ?? account.notKnown(name, ALL_NAMES));
    const tracked = account.tracking.length > 0 && name.startsWith('wandb_');
    if (reason === null) settings.push([name, value]);
    else if (!tracked) account.ignore(name, value, reason);
  }
  const tree: Record<string, unknown> = Object.fromEntries(settings);
  const builder = whole['dataset_builder'];
  // A schedule's own number takes precedence over the data set's.
  const scheduled = NESTED_NAMES.some((name) => {
    const mode = whole[name];
    return isTree(mode) && Object.hasOwn(mode, 'groups_per_batch');
  });
  const preset = chosen.preset ?? presetOf(whole);
  const example = chosen.task === 'gsm8k' && isTree(builder) ? readExample(builder, account) : undefined;
  if (example !== undefined && !Object.keys(tree).some((name) => keyOfName(name) === 'taskConfig'))
    tree['task_config'] = { ...defaultConfig('gsm8k', preset).taskConfig, few_shot: example };
  for (const [name, value] of Object.entries(isTree(builder) ? builder : {})) {
    if (name === 'convo_prefix' && example !== undefined) continue;
    const setting = Object.hasOwn(OF_DATASET, name) ? OF_DATASET[name] : undefined;
    if (setting === 'groups_per_batch' && scheduled)
      account.ignore(`dataset_builder.${name}`, value, 'the schedule says how many groups make a step');
    else if (setting !== undefined && !Object.hasOwn(tree, setting)) tree[setting] = value;
    else account.ignore(`dataset_builder.${name}`, value, 'task and task_config say what is asked');
  }
  const { renderer_name: renderer, model_name: model } = tree;
  if (typeof renderer === 'string' && !RUN_FIELDS.renderer.schema.options.some((each) => each === renderer)) {
    tree['renderer_name'] = 'auto';
    account.replaced.push(`Renderer: the one that the model recommends instead of ${quoted(renderer)}.`);
  }
  if (chosen.preset === undefined) tree['preset'] = preset;
  const task = chosen.task ?? PRESETS[preset].task ?? RUN_FIELDS.task.info.default;
  const taken = chosen.model ?? defaultConfig(task, preset).model;
  if (typeof model === 'string' && model !== taken) {
    delete tree['model_name'];
    account.replaced.push(replacedModel(taken, model));
  }
  account.replaced.push(`Missing settings were filled from the preset ${preset}.`);
  return { tree, replaced: account.replaced, ignored: account.ignored, tracking: account.tracking };
}
