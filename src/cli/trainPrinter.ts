/** Prints a run as it goes. */
import { type RunConfig, answersInStep } from '@rl-playground/run/settings';
import { klCause } from '@rl-playground/run/diagnosis';
import type { StepMetrics } from '@rl-playground/run/metrics';
import { printLine, printProblem } from '@rl-playground/base/print';
import type { RunUpdate } from './trainPage.ts';
import { evaluationLine } from './evaluationText.ts';
import { evalSampleLines, rolloutLines, sftLine, stepLine } from './trainReport.ts';

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

/** `verbose` also prints sample answers; `warmed` is the number of updates of the warm start that were made before. */
export function printer(config: RunConfig, verbose: boolean, warmed: number): (update: RunUpdate) => void {
  const watch = klWatch(config);
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
    for (const { kind, title, text } of notices) printProblem(`${kind}: ${title}. ${text}`);
  };
}
