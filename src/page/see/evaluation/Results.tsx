/** The results of the evaluations. */
import type { ReactNode } from 'react';
import { wilson95 } from '@rl-playground/base/intervals';
import { gainsOf, verdictText } from '@rl-playground/run/diagnosis';
import { accuraciesOf, type Accuracies, type EvalResult } from '@rl-playground/run/loop';
import { count } from '../../ui/text/format.ts';
import { useRun } from '../../run/state/runStore.ts';
import { PassCurves } from './PassCurves.tsx';
import { BeforeAfter, type Share } from './BeforeAfter.tsx';
import classes from './evaluation.module.css';

/** The conditions of the evaluation, in words. */
function conditions(n: number, { sampled }: Accuracies, k: number | undefined): string {
  return [
    `${count(n)} problems never trained on.`,
    ...(sampled ? [`Sampled: one answer each at temperature ${sampled.temperature}.`] : []),
    'Greedy: the likeliest answer.',
    ...(k === undefined
      ? []
      : [`pass@${k}: ${k === 1 ? 'one draw' : `a right answer among ${k} draws`} at temperature 1.`]),
    '± and the brackets are 95% intervals, by problem: where the true value probably lies.',
  ].join(' ');
}

/** A sentence on what reinforcement added since step 0, where a warm-up has ended. */
function Verdict({ after }: { after: EvalResult | undefined }): ReactNode {
  const start = useRun(({ snapshot }) => snapshot.evaluations.find(({ step }) => step === 0));
  const text = start && after && after.step > 0 ? verdictText(gainsOf(start, after)) : null;
  return (
    <p className={classes.verdict} role="status" data-testid="verdict">
      {text}
    </p>
  );
}

interface ResultsProps {
  readonly before: EvalResult;
  readonly after: EvalResult | undefined;
}

export function Results({ before, after }: ResultsProps): ReactNode {
  const then = accuraciesOf(before);
  const now = after && accuraciesOf(after);
  const gains = after && gainsOf(before, after);
  const format = (result: EvalResult): Share => ({
    share: result.format,
    interval: wilson95(result.format, result.n),
  });
  const k = then.passAtK?.k ?? now?.passAtK?.k;
  const steps = { before: before.step, after: after?.step };
  const rows = [
    ['Sampled', then.sampled, now?.sampled, gains?.sampled],
    ['Greedy', then.greedy, now?.greedy, gains?.greedy],
    [`pass@${k}`, then.passAtK, now?.passAtK, gains?.passAtK],
  ] as const;
  return (
    <>
      {rows.map(
        ([label, first, last, gain]) =>
          (first || last) && (
            <BeforeAfter
              key={label}
              label={label}
              steps={steps}
              colour="var(--series-accuracy)"
              before={first}
              after={last}
              gain={gain}
            />
          ),
      )}
      <BeforeAfter
        label="Format"
        steps={steps}
        colour="var(--series-format)"
        before={format(before)}
        after={after && format(after)}
      />
      <Verdict after={after} />
      <PassCurves />
      <p className="quiet">{conditions(before.n, then, k)}</p>
    </>
  );
}
