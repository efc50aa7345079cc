/** The output and records of `npx rl-playground train`, as text made from the run's records. */
import { type RunConfig, answersInStep } from '@rl-playground/run/settings';
import type { MachineRecord } from '@rl-playground/machines';
import { formAndContent, gainsOf, alarmHistory, klCause } from '@rl-playground/run/diagnosis';
import { wrongWorking, type EvalResult, type EvalSample, type Rollout } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { type UntrainedReport, untrainedSentence } from '@rl-playground/run/chat';
import type { BackendInfo, RunSnapshot } from '@rl-playground/run/session';
import { changeLines, evaluationLine } from './evaluationText.ts';
import { printLine, printProblem } from '@rl-playground/base/print';
import { formatWatch } from './noFormat.ts';
import type { RunUpdate } from './trainPage.ts';

function milliseconds(seconds: number): string {
  return `${Math.round(seconds * 1000)}ms`;
}

function clipped(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

function indented(text: string): string {
  return text.replace(/^/gm, '    ');
}

/** A number with its decimals; a dash if it was not measured, or is a mean over nothing. */
function decimals(value: number | null, places: number): string {
  return value === null ? '–' : value.toFixed(places);
}

/** The busy shares of trainer and generators, which matter if they work side by side. */
function busyShares({ trainerBusyShare, generatorsBusyShare }: StepMetrics): string {
  const share = (value: number | null): string => (value === null ? '–' : `${Math.round(100 * value)}%`);
  return `busy gen ${share(generatorsBusyShare)} train ${share(trainerBusyShare)}`;
}

/** The line of a step. `sampled` is the number of its answers. Train time includes handing over the weights. */
export function stepLine(metrics: StepMetrics, sampled: number, schedule: RunConfig['schedule']): string {
  const { step, accuracy, format, loss, reward, kl, secondsRollout, secondsTrain, secondsSync } = metrics;
  const { leftOut = 0 } = metrics;
  const answers = sampled - leftOut;
  return [
    `[${schedule.toUpperCase()} ${String(step).padStart(3)}] ${Math.round(accuracy * answers)}/${answers} correct ` +
      `${Math.round(format * answers)}/${answers} formatted`,
    ...(leftOut > 0 ? [`left out ${leftOut}`] : []),
    `loss ${decimals(loss, 4)}`,
    `reward ${reward.toFixed(2)}`,
    `kl ${decimals(kl, 4)}`,
    `gen ${milliseconds(secondsRollout)}`,
    `train ${milliseconds(secondsTrain + secondsSync)}`,
    ...(schedule === 'sync' ? [] : [busyShares(metrics)]),
  ].join('  ');
}

/** A line for every tenth of a warm-up and for its last update; null for the updates between. */
export function sftLine(step: number, total: number, loss: number): string | null {
  if (step % Math.ceil(total / 10) !== 0 && step !== total) return null;
  return `[WARM ${String(step).padStart(3)}] of ${total} supervised updates  loss ${loss.toFixed(4)}`;
}

/** One sampled answer, its first 300 characters. */
export function rolloutLines({
  question,
  text,
  reward,
}: Pick<Rollout, 'question' | 'text' | 'reward'>): string {
  const verdict = `${reward.correct ? 'correct' : 'wrong'}, reward ${Number(reward.total.toFixed(3))}, ${reward.format ? 'formatted' : 'not formatted'}`;
  return `  ${question}\n${indented(clipped(text, 300))}\n  → ${verdict}`;
}

/** One evaluated answer, its first 200 characters. */
export function evalSampleLines({ question, text, extracted, answer }: EvalSample): string {
  return `  ${question}\n${indented(clipped(text, 200))}\n  → read ${extracted ?? 'nothing'}, expected ${answer}`;
}

/** The last lines. `generations` is the number of answers in all training steps. */
export function finalLines(snapshot: RunSnapshot, generations: number): string {
  const { wallSeconds, evaluations } = snapshot;
  const [before, after] = [evaluations.at(0), evaluations.at(-1)];
  const speed = wallSeconds > 0 ? `  ${(generations / wallSeconds).toFixed(1)} generations/s` : '';
  const lines = [`wall time ${wallSeconds.toFixed(1)}s  generations ${generations}${speed}`];
  if (before !== undefined && after !== undefined && before !== after)
    lines.push(...changeLines(before, after));
  return lines.join('\n');
}

/** The answers to prompts that no task trains on, the first 200 characters of each. */
export function untrainedLines({ answers }: UntrainedReport): string {
  return [
    'Prompts that it was not trained on, greedy, before → now:',
    ...answers.flatMap(({ prompt, before, now, kl }) => [
      `  ${prompt}  KL ${kl.toFixed(4)}`,
      indented(clipped(before, 200)),
      before === now ? '  → the same' : `  →\n${indented(clipped(now, 200))}`,
    ]),
    untrainedSentence(answers),
  ].join('\n');
}

function evaluationRecord(evaluation: EvalResult | undefined) {
  if (evaluation === undefined) return null;
  const { accuracy, format, n, temperature, greedy, passAtK, levels } = evaluation;
  const wrong = wrongWorking(evaluation);
  return {
    accuracy,
    format,
    n,
    temperature,
    ...(greedy && { greedy }),
    ...(passAtK && { passAtK }),
    ...(levels && { levels }),
    ...(wrong && { wrongWorking: { share: wrong.share, n: wrong.n } }),
  };
}

/** The parts of a run that a record is made from. */
type RecordedRun = Pick<RunSnapshot, 'metrics' | 'evaluations' | 'modelName' | 'wallSeconds'> & {
  readonly backend: Pick<BackendInfo, 'backend' | 'line'> | null;
  readonly sft: Pick<RunSnapshot['sft'], 'losses'>;
};

/** The contribution of each machine that joined, in the form of files: its properties, and |Δ log p| with each version of the weights. */
export function machineRecords(machines: readonly MachineRecord[]) {
  return machines.map(({ here, ...rest }) => ({ ...rest, leftBeforeTheEnd: !here }));
}

export function machineLines(machines: readonly MachineRecord[]): string[] {
  return machines.map(
    ({ name, computation, answers, tokensPerSecond, largestGap, meanGap, replayed, dropped }) =>
      `machine ${name}: ${answers} answers, ${tokensPerSecond.toFixed(0)} tokens/s, |Δ log p| at most ${largestGap.toPrecision(2)}, mean ${meanGap.toPrecision(2)}, ${replayed} made again here; ${computation}${dropped === null ? '' : `; dropped, because ${dropped}`}`,
  );
}

/** The records that are made beside a run. */
interface RecordedBeside {
  readonly machines?: readonly MachineRecord[] | null;
  readonly untrained?: UntrainedReport | null;
}

/**
 * The object of `--json`. Times are in seconds, KL and entropy in nats, gains are shares with their 95 % intervals; it has the losses of
 * a warm-up only if there was one.
 */
export function resultRecord(
  snapshot: RecordedRun,
  config: RunConfig,
  { machines, untrained }: RecordedBeside = {},
) {
  const { metrics, evaluations, backend, sft } = snapshot;
  const alarms = alarmHistory(metrics, evaluations, config);
  const last = evaluations.at(-1);
  const before = evaluations.find(({ step }) => step === 0);
  const after = last?.step === 0 ? undefined : last;
  return {
    task: config.task,
    model: snapshot.modelName ?? config.model,
    backend: backend?.backend ?? null,
    adapter: backend?.line ?? null,
    seed: config.seed,
    steps: metrics.length,
    ...(sft.losses.length > 0 ? { sft: sft.losses } : {}),
    evalBefore: evaluationRecord(before),
    evalAfter: evaluationRecord(after),
    // The gain in each measure, with the kind of learning that it is.
    ...(before && after && { gains: gainsOf(before, after), formAndContent: formAndContent(before, after) }),
    ...(untrained && { untrained: untrained.answers }),
    // The first of them.
    collapse: alarms[0]?.title ?? null,
    // Each replaces the one before it; `until` is null for the last one of the run.
    alarms,
    curve: metrics.map(
      ({ step, reward, accuracy, format, kl, entropy, gradNorm, completionTokens, seconds }) => ({
        step,
        reward,
        accuracy,
        format,
        kl,
        entropy,
        gradNorm,
        tokens: completionTokens,
        seconds,
      }),
    ),
    wallSeconds: snapshot.wallSeconds,
    ...(machines && { machines: machineRecords(machines) }),
  };
}

/** The most answers that are shown of each step and of each evaluation. */
const SAMPLES_SHOWN = 2;

/** Prints what probably separates sampler and trainer, once for each cause. */
function klWatch(config: RunConfig): (metrics: readonly StepMetrics[]) => void {
  const said = new Set<string>();
  let history: readonly StepMetrics[] = [];
  return (metrics) => {
    history = [...history, ...metrics];
    const cause = metrics.length === 0 ? null : klCause(history, config);
    if (cause === null || said.has(cause.kind)) return;
    said.add(cause.kind);
    printProblem(`warning: ${cause.title}. ${cause.text}`);
  };
}

/** `verbose` also prints sample answers; `warmed` is the number of updates of the warm-up that were made before. */
export function printer(config: RunConfig, verbose: boolean, warmed: number): (update: RunUpdate) => void {
  const watch = klWatch(config);
  const watchFormat = formatWatch(config, printProblem);
  const answers = answersInStep(config);
  let updates = warmed;
  return ({ sft, metrics, evaluations, notices, rollouts }) => {
    for (const loss of sft) {
      const line = sftLine(++updates, config.warmStartSteps, loss);
      if (line !== null) printLine(line);
    }
    for (const record of metrics) printLine(stepLine(record, answers, config.schedule));
    watch(metrics);
    if (verbose) for (const rollout of rollouts.slice(0, SAMPLES_SHOWN)) printLine(rolloutLines(rollout));
    for (const evaluation of evaluations) {
      printLine(evaluationLine(evaluation));
      const samples = verbose ? evaluation.samples.slice(0, SAMPLES_SHOWN) : [];
      for (const sample of samples) printLine(evalSampleLines(sample));
    }
    watchFormat(metrics, evaluations, rollouts);
    for (const { kind, title, text } of notices) printProblem(`${kind}: ${title}. ${text}`);
  };
}
