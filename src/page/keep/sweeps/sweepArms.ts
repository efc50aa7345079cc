/** Draws runs of a sweep beside the current run, from the files of its folder. */
import { parseConfig } from '@rl-playground/run/settings';
import type { ChosenFile } from '@rl-playground/run/session';
import { RUN_DIRECTORY } from '@rl-playground/run/directory';
import { evalResultFromJson, sortedEvalFiles, readMetricsLog } from '@rl-playground/run/records';
import { SWEEP_RUNS, settingText, type SweepRow } from '@rl-playground/run/sweeps';
import { showArm, hideArm, useCharts, freeColour, MOST_ARMS, type Arm } from '../../see/arms/chartsStore.ts';

export const armOf = ({ task, settings }: SweepRow): string => `sweep ${JSON.stringify([task, settings])}`;

/** The files of one run directory, by their paths in it. */
function filesOf(chosen: readonly ChosenFile[], run: string): Map<string, File> {
  const place = `${SWEEP_RUNS}/${run}/`;
  return new Map(
    chosen.flatMap(({ path, file }) => {
      const at = `/${path}`.indexOf(`/${place}`);
      return at < 0 ? [] : [[path.slice(at + place.length), file] as const];
    }),
  );
}

/** A row can be drawn only if the chosen files include its runs. */
export const canDraw = (chosen: readonly ChosenFile[], { runs }: SweepRow): boolean =>
  runs.some((run) => filesOf(chosen, run).has(RUN_DIRECTORY.metrics));

/** @throws Error naming the run whose files can't be read. */
async function recordOf(files: ReadonlyMap<string, File>, run: string): Promise<Arm['records'][number]> {
  const textOf = async (name: string): Promise<string> => {
    const file = files.get(name);
    if (file === undefined) throw new Error(`The run ${run} has no ${name}.`);
    return file.text();
  };
  const parsed = parseConfig(JSON.parse(await textOf(RUN_DIRECTORY.config)));
  if (!parsed.ok) throw new Error(`The settings of the run ${run} are wrong: ${parsed.errors[0]}`);
  const evaluations = await Promise.all(
    sortedEvalFiles(files.keys())
      .filter((name) => name.startsWith('eval_results/'))
      .map(async (name) => evalResultFromJson(JSON.parse(await textOf(name)))),
  );
  const metrics = readMetricsLog(await textOf(RUN_DIRECTORY.metrics));
  return { config: parsed.config, metrics, evaluations };
}

/** Draws the runs of a row as one arm, or takes them away again. @throws Error where a run can't be read. */
export async function toggleArm(chosen: readonly ChosenFile[], row: SweepRow): Promise<void> {
  const id = armOf(row);
  const { arms } = useCharts.getState();
  if (arms.some((arm) => arm.id === id)) {
    hideArm(id);
    return;
  }
  if (arms.length >= MOST_ARMS)
    throw new Error(`${MOST_ARMS} runs are drawn already, which is the most at once. Remove one first.`);
  const there = row.runs.flatMap((run) => {
    const files = filesOf(chosen, run);
    return files.size > 0 ? [{ run, files }] : [];
  });
  const records = await Promise.all(there.map(({ run, files }) => recordOf(files, run)));
  const values = Object.entries(row.settings).map(([key, value]) => `${key} ${settingText(value)}`);
  const name = `${[row.task, ...values].join(', ')}${there.length > 1 ? ` (${there.length} seeds)` : ''}`;
  const { arms: now } = useCharts.getState();
  showArm({ id, name, colour: freeColour(now), runs: there.map(({ run }) => run), records });
}
