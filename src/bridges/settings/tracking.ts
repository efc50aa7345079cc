/** Reads the logging keys of other systems' files as options of `npx rl-playground track`. */
import { quoted } from '@rl-playground/base/valueSchemas';
import { isTree, listOf } from '@rl-playground/run/settings/files';
import {
  isTrackTarget,
  TRACK_TARGETS,
  trackCommand,
  type AskedTracker,
  type TrackerPlace,
  type TrackTarget,
} from '@rl-playground/run/settings';
import type { KeyReader } from './reader.ts';

/** The names of the trackers in sentences. */
const NAMES: Readonly<Record<TrackTarget, string>> = {
  tensorboard: 'TensorBoard',
  wandb: 'W&B',
  mlflow: 'MLflow',
  trackio: 'Trackio',
};

/** The option that each key of TRL's trainers, of scripts around them, and of the Tinker cookbook becomes, by tracker. */
const PLACES: Readonly<Record<TrackTarget, Readonly<Record<string, keyof TrackerPlace>>>> = {
  tensorboard: { logging_dir: 'dir', run_name: 'name' },
  wandb: {
    wandb_project: 'project',
    project_name: 'project',
    wandb_entity: 'entity',
    wandb_name: 'name',
    run_name: 'name',
  },
  mlflow: { mlflow_experiment_name: 'project', mlflow_tracking_uri: 'url', run_name: 'name' },
  trackio: { trackio_space_id: 'space', project: 'project', run_name: 'name' },
};

/** Keys that do not say by themselves which tracker is meant. */
const SHARED: ReadonlySet<string> = new Set(['run_name', 'project', 'project_name']);

/** Notes a tracker, the keys that ask for it with their values, and the command that does it. */
function ask({ account }: KeyReader, tracker: AskedTracker, asked: readonly string[]): void {
  account.tracking.push(tracker);
  account.replaced.push(
    `Logging to ${NAMES[tracker.target]} (${asked.join(', ')}): \`${trackCommand(tracker)}\` does it, after the run or with --follow during it, and --track ${tracker.target} beside the training; nothing is sent without one of them.`,
  );
}

/** The trackers that `report_to` names, or else those that some other key implies. */
function targetsOf(reader: KeyReader): readonly TrackTarget[] {
  if (!reader.has('report_to'))
    return TRACK_TARGETS.filter((target) =>
      Object.keys(PLACES[target]).some((key) => !SHARED.has(key) && reader.has(key)),
    );
  const value = reader.value('report_to');
  const words = [...new Set(listOf(value) ?? [value])];
  if (words.includes('all')) return TRACK_TARGETS;
  const path = reader.path('report_to');
  if (words.length === 0 || words[0] === 'none')
    reader.account.ignore(path, value, 'nothing is sent unless npx rl-playground track or --track says so');
  else
    for (const word of words.filter((each) => !isTrackTarget(each)))
      reader.account.ignore(path, word, `npx rl-playground track sends to ${TRACK_TARGETS.join(', ')} alone`);
  return words.filter(isTrackTarget);
}

/** The place that a key names. A value that is no name is ignored. */
function placeAt(reader: KeyReader, key: string): string | undefined {
  const value = reader.has(key) ? reader.value(key) : undefined;
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  reader.account.ignore(reader.path(key), value, 'it is no name');
  return undefined;
}

/** Reads the keys by which a file of TRL or of the Tinker cookbook asks for a tracker. */
export function readTracking(reader: KeyReader): void {
  const reportTo = reader.has('report_to') ? reader.value('report_to') : undefined;
  for (const target of targetsOf(reader)) {
    const places = Object.entries(PLACES[target]).flatMap(([key, option]) => {
      const value = placeAt(reader, key);
      return value === undefined ? [] : [{ key, option, value }];
    });
    const place = Object.fromEntries(places.map(({ option, value }) => [option, value]));
    ask(reader, { target, place }, [
      ...(reportTo === undefined ? [] : [`report_to ${quoted(reportTo)}`]),
      ...places.map(({ key, value }) => `${key} ${quoted(value)}`),
    ]);
  }
}

/**
 * Reads RLVR's group `logging`, and the names beside it. Its option `mlflow_logger` is known here: an experiment below /Shared, on Databricks.
 *
 * @returns whether it asks for MLflow.
 */
export function readRlvrTracking(root: KeyReader, option: string | null): boolean {
  const section = root.peek('logging');
  const given = isTree(section) ? section : {};
  if ((given['name'] ?? option) !== 'mlflow_logger') return false;
  root.value('logging');
  const instance = isTree(given['instance']) ? given['instance'] : {};
  const textOf = (value: unknown): string | undefined =>
    typeof value === 'string' && value !== '' ? value : undefined;
  const beside = textOf(root.value('experiment_name'));
  const run = textOf(instance['run_name']) ?? textOf(root.value('run_name'));
  root.value('run_name');
  const experiment =
    textOf(instance['experiment_name']) ?? (beside === undefined ? undefined : `/Shared/${beside}`);
  const url = textOf(instance['tracking_uri']);
  const served = url !== undefined && /^https?:/.test(url) ? url : undefined;
  const place = {
    ...(experiment !== undefined && { project: experiment }),
    ...(run !== undefined && { name: run }),
    ...(served !== undefined && { url: served }),
  };
  ask(root, { target: 'mlflow', place }, [
    'logging mlflow_logger',
    ...(experiment === undefined ? [] : [`experiment ${quoted(experiment)}`]),
    ...(run === undefined ? [] : [`run_name ${quoted(run)}`]),
    ...(url === undefined || url === served
      ? []
      : [`tracking_uri ${quoted(url)} (which MLFLOW_TRACKING_URI has to name as an address)`]),
  ]);
  return true;
}
