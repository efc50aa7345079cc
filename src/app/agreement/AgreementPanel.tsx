/** Whether sampler and trainer give the same probability to the same tokens, and what happens where they don't. */
import { useDeferredValue, type ReactNode } from 'react';
import { compact, count, percent } from '../format/format.ts';
import { useApp } from '../store.ts';
import { Glossed } from '../ui/Glossed.tsx';
import { Panel } from '../ui/Panel.tsx';
import { agreementOf, ROUNDING, type Agreement } from './agreement.ts';
import { SamplerDial } from './SamplerDial.tsx';
import classes from './agreement.module.css';

function Badge({ run }: { run: Agreement | null }): ReactNode {
  const agree = run === null ? null : run.greatest < ROUNDING;
  return (
    <span
      className={classes.badge}
      data-testid="agreement-badge"
      data-agree={agree ?? undefined}
      data-greatest={run?.greatest}
      data-exact={run?.exact}
    >
      {run === null
        ? 'not measured yet'
        : `${agree ? 'agree' : 'disagree'}: |Δ log p| ≤ ${compact(run.greatest)}`}
    </span>
  );
}

function Figures({ title, of }: { title: string; of: Agreement }): ReactNode {
  return (
    <>
      <dt>{title}</dt>
      <dd>
        {compact(of.greatest)} <Glossed text="nats" /> at most; exactly 0 for {percent(of.exact)} of{' '}
        {count(of.tokens)} tokens
      </dd>
    </>
  );
}

export function AgreementPanel(): ReactNode {
  const metrics = useDeferredValue(useApp((state) => state.snapshot.metrics));
  const run = agreementOf(metrics);
  const last = agreementOf(metrics.slice(-1));
  const { clipRegion = null, policyAgeMax = null } = metrics.at(-1) ?? {};
  return (
    <Panel title="Sampler and trainer" aside={<Badge run={run} />} testId="agreement">
      <p className={classes.what}>
        Sampler and trainer each compute the probability of every sampled token. The badge shows the largest
        difference before an update has changed the model.
      </p>
      {run !== null && (
        <dl className={classes.figures}>
          <Figures title="This run" of={run} />
          {last !== null && <Figures title="Last step" of={last} />}
          {clipRegion !== null && (
            <>
              <dt>Clipped</dt>
              <dd>{percent(clipRegion, 2)} of the last step’s tokens</dd>
            </>
          )}
        </dl>
      )}
      {policyAgeMax !== null && policyAgeMax > 0 && (
        <p className={classes.what}>
          Older weights sampled some of these answers (up to {count(policyAgeMax)} steps), which counts here
          too.
        </p>
      )}
      <SamplerDial />
      <p className={classes.what}>
        Here the sampler can be made to compute differently from the trainer, as inference engines do.
        Clipping then mistakes this error for learning; importance sampling corrects for it.
      </p>
    </Panel>
  );
}
