/** Trains the runs of a lesson one after the other. Each is kept in the list like any other run. */
import { changeLabel } from '../../keep/kept/labels.ts';
import { ANOTHER_RUN, unlessUnsaved } from '../../run/actions/actions.ts';
import { canStart } from '../../run/state/phases.ts';
import type { RunController, RunSnapshot } from '@rl-playground/run/session';
import { useRun } from '../../run/state/runStore.ts';
import { forkOf } from './fork.ts';
import { noteDeed, reportError } from '../../ui/open/openStore.ts';
import {
  armConfig,
  armTitle,
  type ArmRecord,
  type ChangeLesson,
  type Fork,
  type Lesson,
  type LessonArm,
} from './content/lesson.ts';

const answersOf = ({ rollouts }: RunSnapshot): ArmRecord['answers'] =>
  rollouts.map(({ tokens, advantage }) => ({ tokens: tokens.length, advantage }));

/** Trains one arm and reports its steps as they come. Resolves to null if the run did not reach its end. */
async function runArm(
  controller: RunController,
  lesson: Lesson,
  arm: LessonArm,
  tell: (record: ArmRecord) => void,
): Promise<ArmRecord | null> {
  const config = armConfig(lesson, arm);
  const { config: before } = controller.snapshot();
  let answers: ArmRecord['answers'] = [];
  let rollouts: RunSnapshot['rollouts'] = [];
  let steps = 0;
  const read = (): ArmRecord => {
    const { metrics, evaluations, notices } = controller.snapshot();
    const alarm = notices.findLast(({ kind }) => kind === 'collapse')?.title ?? null;
    return { metrics, evaluations, answers, alarm, fork: null };
  };
  const unsubscribe = controller.subscribe(() => {
    const snapshot = controller.snapshot();
    // Until the run begins, the snapshot still shows the last one.
    if (snapshot.config === before || snapshot.metrics.length <= steps) return;
    steps = snapshot.metrics.length;
    if (steps === 1) {
      ({ rollouts } = snapshot);
      answers = answersOf(snapshot);
    }
    tell(read());
  });
  try {
    await controller.train(config);
  } finally {
    unsubscribe();
  }
  const { phase, run } = controller.snapshot();
  if (phase !== 'finished') return null;
  if (run !== null) {
    await changeLabel(run, { name: armTitle(lesson, arm) });
  }
  return { ...read(), fork: lesson.readsFork === true ? await readFork(controller, rollouts) : null };
}

/** A version that no weights have: the model of now is asked. */
const NO_VERSION = -1;

const readFork = (controller: RunController, rollouts: RunSnapshot['rollouts']): Promise<Fork | null> =>
  forkOf(rollouts, {
    textOf: (tokens) => controller.start.promptText(tokens),
    logprob: async (before, token) =>
      (await controller.look('likeliest', null, { before, token, version: NO_VERSION }))?.logprob ?? null,
  });

/** The reason why a lesson can't run now. */
export function lessonProblem({ phase, modelName, modelIsOurs }: RunSnapshot): string | null {
  if (modelName !== null && !modelIsOurs)
    return 'Lessons run on the page’s own small model, but another model is loaded. Reload the page without it, then run the lesson.';
  return canStart({ phase, modelName })
    ? null
    : 'Wait until the engine is ready and no other run is in progress.';
}

/** Trains all runs of a lesson. An error becomes a notice. */
export async function runLesson(lesson: Lesson, change: ChangeLesson): Promise<void> {
  const { controller, snapshot } = useRun.getState();
  if (controller === null || lessonProblem(snapshot) !== null) return;
  await unlessUnsaved(controller, ANOTHER_RUN, () => runArms(controller, lesson, change));
}

let running = false;

async function runArms(controller: RunController, lesson: Lesson, change: ChangeLesson): Promise<void> {
  // A second click can come while the page is still asking about the unsaved run.
  if (running) return;
  running = true;
  const began = performance.now();
  const done: ArmRecord[] = [];
  change({ phase: 'running', records: [] });
  try {
    for (const arm of lesson.arms) {
      const record = await runArm(controller, lesson, arm, (so) => change({ records: [...done, so] }));
      if (record === null) {
        change({ phase: 'interrupted' });
        return;
      }
      done.push(record);
      change({ records: [...done] });
    }
    noteDeed('lesson');
    change({ phase: 'done', seconds: (performance.now() - began) / 1000 });
  } catch (error) {
    change({ phase: 'interrupted' });
    reportError('The lesson stopped early', error, 'Its runs so far are in the list of runs. Run it again.');
  } finally {
    running = false;
  }
}
