import type { ReactNode } from 'react';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { CheckIcon } from '../../ui/parts/icons.tsx';
import { Panel } from '../../ui/parts/Panel.tsx';
import { useOpen } from '../../ui/open/openStore.ts';
import boxes from '../../ui/style/boxes.module.css';
import { nextOf, PATH } from './path.ts';

/** The path of the first five minutes, with a tick for each thing that is done. */
export function FirstMinutes(): ReactNode {
  const deeds = useOpen((state) => state.deeds);
  const next = nextOf(deeds);
  return (
    <Panel
      title="The first five minutes"
      testId="first-minutes"
      aside={`${deeds.size} of ${PATH.length} done`}
    >
      <ol className={`plain ${boxes.cards}`}>
        {PATH.map((step, index) => (
          <li key={step.deed} className={boxes.card} data-done={deeds.has(step.deed)}>
            <b className={deeds.has(step.deed) ? 'good' : undefined}>
              {deeds.has(step.deed) ? <CheckIcon /> : `${index + 1}.`} {step.title}
              {deeds.has(step.deed) && <span className="visually-hidden">, done</span>}
            </b>
            <span className="quiet">{step.what}</span>
            <ActionButton
              usable
              mt="auto"
              variant={step === next ? 'filled' : 'default'}
              aria-label={`${step.title}: show me where`}
              onClick={step.go}
            >
              Show me
            </ActionButton>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** The next thing to do, offered with the result of a run. */
export function NextStep(): ReactNode {
  const next = useOpen((state) => nextOf(state.deeds));
  return (
    next && (
      <p className="quiet" data-testid="next-step">
        Next: {next.what}{' '}
        <ActionButton size="compact-xs" usable onClick={next.go}>
          {next.title}
        </ActionButton>
      </p>
    )
  );
}
