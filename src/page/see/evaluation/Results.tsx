/** What the card of evaluations shows once there is one, loaded when the page is at rest. */
import { Suspense, type ReactNode } from 'react';
import { wilson95 } from '@rl-playground/base/intervals';
import { gainsOf, verdictText } from '@rl-playground/run/diagnosis';
import { accuraciesOf, type Accuracies, type EvalResult } from '@rl-playground/run/loop';
import { count } from '../../ui/text/format.ts';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { BeforeAfter, type Share } from './BeforeAfter.tsx';
import classes from './evaluation.module.css';

const PassCurves = lazyPart(async () => (await import('./PassCurves.tsx')).PassCurves);

/** How the figures were found, in words. */
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

/** What reinforcement added, in a sentence: from step 0 on, where a warm-up has ended. */
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
  /** Undefined until there is a later one. */
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
      <Suspense>
        <PassCurves />
      </Suspense>
      <p className={classes.conditions}>{conditions(before.n, then, k)}</p>
    </>
  );
}
