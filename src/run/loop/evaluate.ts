/**
 * The model's success at a fixed set of held-out problems, measured three ways: by one answer to each at the run's evaluation temperature, by
 * the greedy answer, and by several at temperature 1, of which one must be right (pass@k). If asked, it also measures the greedy
 * answers at each level of difficulty.
 */
import {
  breatheIfDue,
  type Renderer,
  type GenerateOptions,
  type SamplingProgress,
} from '@rl-playground/engine/parts';
import type { Engine } from '@rl-playground/engine/parts/tensors';
import { mean, meanOrNull } from '@rl-playground/base/statistics';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { ChatMessage } from '@rl-playground/base/conversation';
import type { PromptStyle, Reward, ScoringMode } from '@rl-playground/tasks/parts';
import { passAtK } from '../metrics/passAtK.ts';
import { completed, firstFailure } from '../rollouts/rollout.ts';
import { rewardsOf } from './scoring.ts';
import { atLevel, heldOutProblems, scoringOf, taskAt, type MixProblem, type MixTask } from './taskMix.ts';
import { taskShares, type TaskShare } from '../metrics/reward.ts';

/** A number in place of training's step number, so that no draw is shared with training. */
const EVALUATION_STREAM = 0x7fffffff;
const GREEDY = 0;
/** Draws for pass@k are made at this temperature, whatever the run evaluates at: they show the model as it is. */
const PASS_TEMPERATURE = 1;

/** A problem of an evaluation and its first answer. */
export interface EvalSample {
  readonly task: string;
  readonly question: string;
  readonly answer: string;
  readonly text: string;
  readonly extracted: string | null;
  readonly correct: boolean;
  readonly format: boolean;
  /** The reward of its sampled answer; records made before rewards had reasons lack it. */
  readonly reward?: Pick<Reward, 'total' | 'parts' | 'reason'>;
  /** A share from 0 to 1, if the task's upstream scores the form by shares. */
  readonly formatScore?: number;
  /** The share of its working that is right, where it shows some and the task can check it. */
  readonly working?: number;
  /** Its greedy answer; records made before there was one lack it. */
  readonly greedy?: { readonly correct: boolean; readonly format: boolean };
  /** Right ones among its draws for pass@k, where those were made. */
  readonly correctDraws?: number;
}

/** Greedy answers to held-out problems of one level of a task. */
export interface LevelShare {
  readonly task: string;
  /** 1 the easiest. */
  readonly level: number;
  readonly accuracy: number;
  readonly format: number;
  readonly n: number;
}

export interface EvalResult {
  /** Number of updates made before this evaluation. */
  readonly step: number;
  /** The accuracy of the first answers, as `format` and `tasks` are of them. */
  readonly accuracy: number;
  readonly format: number;
  /** Mean over the first answers that have one. */
  readonly formatScore?: number;
  readonly n: number;
  readonly tasks: readonly TaskShare[];
  /** The temperature of the first answers. */
  readonly temperature: number;
  /** The greedy answers; records made before there were any lack them. */
  readonly greedy?: { readonly accuracy: number; readonly format: number };
  /** The result of `k` draws of each problem at temperature 1, if those were made. */
  readonly passAtK?: { readonly k: number; readonly accuracy: number };
  /** The shares by task, the easiest level first, if they were asked for. */
  readonly levels?: readonly LevelShare[];
  readonly seconds: number;
  readonly samples: readonly EvalSample[];
}

export interface EvaluationSettings {
  /** Problems. */
  readonly samples: number;
  /** The temperature of the first answers; 0 is greedy. */
  readonly temperature: number;
  /** Draws of each problem for pass@k; 0 leaves them out. */
  readonly passAtK: number;
  /** Problems of each level of each task; 0 leaves them out. */
  readonly levelSamples: number;
  readonly maxTokens: number;
  readonly seed: number;
  readonly scoring: ScoringMode;
}

export interface EvaluationOptions extends GenerateOptions {
  /** Receives a few of the newest answers while others are being written, four times a second at most. */
  readonly onSamples?: ((samples: readonly EvalSample[]) => void) | undefined;
}

/** Settings that say when a run evaluates. */
type RunSchedule = Pick<RunConfig, 'evalEvery' | 'numSteps'>;

export interface EvaluationSubject {
  readonly tasks: readonly MixTask[];
  readonly renderer: Renderer;
  readonly promptStyle: PromptStyle;
  readonly engine: Pick<Engine, 'sample'>;
  /** Milliseconds; a difference of two values is a duration. */
  readonly now: () => number;
}

/** True if a run evaluates by itself after so many steps, its end apart. */
export function evaluatesAfter(step: number, { evalEvery, numSteps }: RunSchedule): boolean {
  return step >= 0 && step < numSteps && (step === 0 || (evalEvery > 0 && step % evalEvery === 0));
}

/** A held-out problem as it is put to the model. */
interface Question extends MixProblem {
  readonly messages: readonly ChatMessage[];
  readonly promptIds: readonly number[];
}

interface Answer {
  readonly text: string;
  readonly reward: Reward;
}

/** The number of answers to each problem, by their temperature. */
function askedFor({ temperature, passAtK: draws }: EvaluationSettings): Map<number, number> {
  const samples = new Map([[temperature, 1]]);
  if (draws > 0) samples.set(PASS_TEMPERATURE, draws);
  return samples.set(GREEDY, 1);
}

/**
 * `samples` scored answers to each question, as one group, so that its prompt is read once. The first of them is what it would be alone:
 * a draw is decided by the seed, the problem and its own number.
 */
async function answersTo(
  questions: readonly Question[],
  { temperature, samples }: { readonly temperature: number; readonly samples: number },
  { tasks, renderer, engine }: EvaluationSubject,
  { seed, maxTokens, scoring }: EvaluationSettings,
  options: GenerateOptions,
): Promise<Answer[][]> {
  const groups = await engine.sample(
    questions.map(({ promptIds }, problem) => ({
      promptIds,
      samples,
      seed,
      step: EVALUATION_STREAM,
      problem,
    })),
    { temperature, topP: 1, topK: 0, maxTokens, stop: renderer.stopStrings },
    options,
  );
  const items = questions.flatMap(({ problem, taskIndex }, i) => {
    const sampled = completed(groups[i]);
    if (sampled.length < samples)
      throw new Error(`Problem ${i + 1} of the evaluation got no answer: ${firstFailure(groups)}`);
    return sampled.map(({ tokens, stopReason }) => ({
      problem,
      taskIndex,
      completion: { tokens, ...renderer.textOf(tokens, stopReason) },
    }));
  });
  const rewards = await rewardsOf(tasks, items, scoring);
  const answers = items.flatMap(({ completion: { text } }, i): Answer[] => {
    const reward = rewards[i];
    return reward === undefined ? [] : [{ text, reward }];
  });
  return questions.map((_, i) => answers.slice(i * samples, (i + 1) * samples));
}

/** Each task of a run at each of its levels, as tasks of equal shares. */
function levelled(tasks: readonly MixTask[]): (MixTask & { readonly level: number })[] {
  const each = tasks.flatMap((mixTask) =>
    mixTask.task.levels.map((_, level) => ({ ...mixTask, level, config: atLevel(mixTask, level) })),
  );
  return each.map((mixTask) => ({ ...mixTask, share: 1 / each.length }));
}

/** The questions, made in slices of time for a page that goes on meanwhile. */
async function questionsOf(
  { tasks, promptStyle, renderer }: EvaluationSubject,
  samples: number,
): Promise<Question[]> {
  const questions: Question[] = [];
  for (const mixProblem of heldOutProblems(tasks, samples)) {
    questions.push(questionOf(mixProblem, { tasks, promptStyle, renderer }));
    await breatheIfDue();
  }
  return questions;
}

function questionOf(
  mixProblem: MixProblem,
  { tasks, promptStyle, renderer }: Pick<EvaluationSubject, 'tasks' | 'promptStyle' | 'renderer'>,
): Question {
  const messages = taskAt(tasks, mixProblem.taskIndex).task.messages(mixProblem.problem, promptStyle);
  return { ...mixProblem, messages, promptIds: renderer.promptIds(messages) };
}

/** Answers to the first `samples` held-out problems of the run's tasks, by the generators' current weights. */
export async function evaluate(
  subject: EvaluationSubject,
  settings: EvaluationSettings,
  step: number,
  { onSamples, ...options }: EvaluationOptions = {},
): Promise<EvalResult> {
  const { tasks, now } = subject;
  const began = now();
  const questions = await questionsOf(subject, settings.samples);
  const atLevels = { ...subject, tasks: settings.levelSamples === 0 ? [] : levelled(tasks) };
  const levelQuestions = await questionsOf(atLevels, settings.levelSamples * atLevels.tasks.length);
  const asked = askedFor(settings);
  const total =
    questions.length * [...asked.values()].reduce((sum, samples) => sum + samples, 0) + levelQuestions.length;
  const onGroup = onSamples && showingAnswers(questions, subject, settings, onSamples);
  let before = { tokens: 0, finished: 0 };
  const answersOf = async (
    those: readonly Question[],
    wanted: { readonly temperature: number; readonly samples: number },
    whose: EvaluationSubject,
    hear?: GenerateOptions['onGroup'],
  ): Promise<Answer[][]> => {
    let last = before;
    const onProgress = ({ tokens, finished }: SamplingProgress): void => {
      last = { tokens: before.tokens + tokens, finished: before.finished + finished };
      options.onProgress?.({ ...last, total });
    };
    const answers = await answersTo(those, wanted, whose, settings, {
      ...options,
      onProgress,
      ...(hear && { onGroup: hear, mayTakeBack: true }),
    });
    before = last;
    return answers;
  };
  const answers = new Map<number, Answer[][]>();
  for (const [temperature, samples] of asked)
    answers.set(temperature, await answersOf(questions, { temperature, samples }, subject, onGroup));
  const levelAnswers =
    levelQuestions.length === 0
      ? []
      : await answersOf(levelQuestions, { temperature: GREEDY, samples: 1 }, atLevels);
  return {
    step,
    ...measured(questions, answers, subject, settings),
    ...(levelAnswers.length > 0 && {
      levels: atLevels.tasks.map(({ task, level }, at) => {
        const rewards = levelAnswers
          .filter((_, i) => levelQuestions[i]?.taskIndex === at)
          .flatMap((drawn) => drawn.map(({ reward }) => reward));
        return { task: task.name, level: level + 1, ...shares(rewards), n: rewards.length };
      }),
    }),
    temperature: settings.temperature,
    seconds: (now() - began) / 1000,
  };
}

/** The time between two answers that are shown, in milliseconds: reading takes longer, and the page has other work. */
const SHOWN_EVERY = 250;
const MOST_SHOWN = 3;

/** Tells the newest of the first answers while the others are being written. Answers that a program scores are not shown: it is asked once for each. */
function showingAnswers(
  questions: readonly Question[],
  subject: EvaluationSubject,
  { scoring }: EvaluationSettings,
  tell: (samples: readonly EvalSample[]) => void,
): NonNullable<GenerateOptions['onGroup']> {
  const { tasks, renderer, now } = subject;
  let next = -Infinity;
  let shown: readonly EvalSample[] = [];
  return (index, group) => {
    const question = questions[index];
    const [completion] = completed(group);
    const time = now();
    if (question === undefined || completion === undefined || time < next) return;
    const mixTask = taskAt(tasks, question.taskIndex);
    if (mixTask.task.scoreAll !== undefined) return;
    next = time + SHOWN_EVERY;
    const { tokens, stopReason } = completion;
    const answer = { tokens, ...renderer.textOf(tokens, stopReason) };
    const reward = mixTask.task.score(question.problem, answer, scoringOf(mixTask, scoring));
    shown = [...shown, sampleOf(question, { text: answer.text, reward }, subject)].slice(-MOST_SHOWN);
    tell(shown);
  };
}

/** The evaluation made of the answers by their temperature and then by problem. */
function measured(
  questions: readonly Question[],
  answers: ReadonlyMap<number, readonly Answer[][]>,
  subject: EvaluationSubject,
  { temperature, passAtK: draws }: EvaluationSettings,
): Omit<EvalResult, 'step' | 'temperature' | 'seconds' | 'levels'> {
  const first = (at: number, problem: number): Answer[] => answers.get(at)?.[problem]?.slice(0, 1) ?? [];
  const scored = questions.flatMap((question, i) =>
    first(temperature, i).map((answer) => ({ ...question, ...answer })),
  );
  const greedy = questions.flatMap((_, i) => first(GREEDY, i).map(({ reward }) => reward));
  const right = (drawn: readonly Answer[]): number => drawn.filter(({ reward }) => reward.correct).length;
  const correctPP = draws === 0 ? [] : (answers.get(PASS_TEMPERATURE) ?? []).map(right);
  const samples = scored.map((answered, i): EvalSample => {
    const likeliest = greedy[i];
    const correctDraws = correctPP[i];
    return {
      ...sampleOf(answered, answered, subject),
      ...(likeliest && { greedy: { correct: likeliest.correct, format: likeliest.format } }),
      ...(correctDraws !== undefined && { correctDraws }),
    };
  });
  const formatScore = meanOrNull(samples.flatMap((sample) => sample.formatScore ?? []));
  return {
    ...shares(samples),
    ...(formatScore !== null && { formatScore }),
    n: samples.length,
    tasks: taskShares(subject.tasks, scored, null),
    greedy: shares(greedy),
    ...(correctPP.length > 0 && {
      passAtK: { k: draws, accuracy: mean(correctPP.map((correct) => passAtK(draws, correct, draws))) },
    }),
    samples,
  };
}

function sampleOf(
  { problem, taskIndex, messages }: Question,
  { text, reward }: Answer,
  { tasks, promptStyle }: EvaluationSubject,
): EvalSample {
  const { total, parts, reason, correct, format, formatScore, extracted } = reward;
  // A model that reads English works in words of its own, which the task does not know.
  const working =
    promptStyle === 'compact' ? taskAt(tasks, taskIndex).task.working?.(problem, text) : undefined;
  return {
    task: problem.task,
    question: messages.at(-1)?.content ?? '',
    answer: problem.answer,
    text,
    extracted,
    correct,
    format,
    reward: { total, parts, reason },
    ...(formatScore !== undefined && { formatScore }),
    ...(typeof working === 'number' && { working }),
  };
}

/** The greedy answer to one problem of an evaluation, by its place there; null where there is none. */
export async function greedyAnswer(
  subject: EvaluationSubject,
  settings: EvaluationSettings,
  place: number,
  signal: AbortSignal,
): Promise<EvalSample | null> {
  const problem = heldOutProblems(subject.tasks, settings.samples)[place];
  if (problem === undefined) return null;
  const question = questionOf(problem, subject);
  const wanted = { temperature: GREEDY, samples: 1 };
  const [answers] = await answersTo([question], wanted, subject, settings, { signal });
  const [answer] = answers ?? [];
  return answer === undefined ? null : sampleOf(question, answer, subject);
}

type Verdict = Pick<EvalSample, 'correct' | 'format'>;

function shares(verdicts: readonly Verdict[]): { readonly accuracy: number; readonly format: number } {
  const share = (test: (verdict: Verdict) => boolean): number =>
    verdicts.filter(test).length / verdicts.length;
  return { accuracy: share(({ correct }) => correct), format: share(({ format }) => format) };
}
