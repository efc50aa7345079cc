/**
 * `npm run lab -- preflight`: compares the pre-flight's statements about a run with its first steps, without changes of the weights. Exit
 * codes: 0 the stated intervals hold what they should, 1 they do not, 2 bad arguments. It runs on wasm under Node.
 */
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { mean } from '@rl-playground/base/statistics';
import { defaultConfig, type RunConfig, problemsInStep } from '@rl-playground/run/settings';
import { type LoadedModel, isMixed } from '@rl-playground/engine/parts';
import { LOCAL_ENVIRONMENT } from '@rl-playground/engine/parts/tensors';
import { OUTLOOK_STEPS } from '@rl-playground/run/diagnosis';
import { answersAt, rendererOf, taskMix } from '@rl-playground/run/loop';
import { loadModelNamed } from '@rl-playground/run/models/node';
import { isScratchModel, makeScratchModel } from '@rl-playground/run/models';
import { freshStart, Session } from '@rl-playground/run/session/onDevice';
import { TASKS } from '@rl-playground/tasks/parts';
import { printLine } from '@rl-playground/base/print';
import { command, seedRange, simpleProgram, taskList } from '../src/cli/program.ts';

interface Options {
  readonly tasks: readonly string[];
  readonly seeds: readonly number[];
}

/** The least share of the runs that must be in their interval, and the largest mean error. */
const GOALS = { covered: 0.9, error: 0.1 };

const line = () =>
  command(
    'npm run lab -- preflight',
    'Holds the share of groups with a signal that the pre-flight expects against that of the first five steps, with the weights as they are.',
    '--tasks reverse_digits,gcd --seeds 0-2',
  )
    .option(
      '--tasks <names>',
      'tasks, parted by commas (every one with a bundled model)',
      taskList,
      bundled(),
    )
    .option('--seeds <range>', 'seeds and ranges of seeds, parted by commas', seedRange, seedRange('0-2'));

function bundled(): string[] {
  return TASKS.filter(({ starter }) => starter !== null).map(({ name }) => name);
}

/** The share of the groups of the first five steps whose rewards differ, by weights that no update changes. */
async function mixedShare(session: Session, config: RunConfig, model: LoadedModel): Promise<number> {
  const problems = problemsInStep(config);
  const places = Array.from({ length: OUTLOOK_STEPS * problems }, (_, index) => ({
    index,
    step: 1 + Math.floor(index / problems),
  }));
  const { promptStyle } = model;
  const subject = {
    config,
    tasks: taskMix(config),
    renderer: rendererOf(config, model),
    promptStyle,
    engine: session.engine,
  };
  const answersPG = await answersAt(subject, null, places, config.rolloutsPerProblem);
  return mean(answersPG.map((answers) => Number(isMixed(answers.map(({ reward }) => reward.total)))));
}

/** Returns the pre-flight's statement about a run, and the share in its first steps. */
export async function preflightAgainstSteps(task: string, seed: number) {
  const config = { ...defaultConfig(task), seed };
  const model = isScratchModel(config.model)
    ? await makeScratchModel(config)
    : await loadModelNamed(config.model);
  const session = await Session.open(config, freshStart(model), LOCAL_ENVIRONMENT);
  try {
    while (session.inSft) await session.sftStep();
    const { facts, findings } = await session.preflight({});
    const was = await mixedShare(session, config, model);
    const { low, high } = facts.groups.interval;
    const warnings = findings.filter(({ kind }) => kind === 'warning').map(({ id }) => id);
    return { ...facts.groups, was, holds: was >= low && was <= high, warnings };
  } finally {
    session.dispose();
  }
}

const percent = (share: number): string => `${Math.round(100 * share)} %`.padStart(5);

export default simpleProgram(line, async ({ tasks, seeds }: Options) => {
  await startBackendInNode();
  const errors: number[] = [];
  let covered = 0;
  let alarms = 0;
  printLine(`${'task'.padEnd(26)} seed  expected  interval        was    error`);
  for (const task of tasks)
    for (const seed of seeds) {
      const { mixed, interval, was, holds, warnings } = await preflightAgainstSteps(task, seed);
      errors.push(Math.abs(was - mixed));
      covered += Number(holds);
      alarms += Number(warnings.length > 0);
      printLine(
        `${task.padEnd(26)} ${String(seed).padStart(4)}  ${percent(mixed)}     ${percent(interval.low)} –${percent(interval.high)}  ${percent(was)}  ${percent(Math.abs(was - mixed))} ${holds ? '' : ' outside'} ${warnings.join(' ')}`,
      );
    }
  const share = covered / Math.max(1, errors.length);
  const error = mean(errors);
  const reached = share >= GOALS.covered && error <= GOALS.error;
  printLine(
    `${percent(share)} of ${errors.length} runs lie in their 95 % interval (goal ${percent(GOALS.covered)}), the mean error is ${error.toFixed(3)} (goal ${GOALS.error}), ${alarms} runs with a warning.`,
  );
  return reached ? 0 : 1;
});
