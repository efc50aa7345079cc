/** Prompts that no task trains on, answered before training and now: they show what else has changed. */
import { useState, type ReactNode } from 'react';
import { untrainedSentence, type UntrainedReport } from '@rl-playground/run/chat';
import { useShownConfig } from '../../run/form/useField.ts';
import { useRun } from '../../run/state/runStore.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { reportError } from '../../ui/open/openStore.ts';
import { Said } from '../evaluation/Said.tsx';
import { Kl } from './Replies.tsx';
import boxes from '../../ui/style/boxes.module.css';

export function Untrained({
  usable,
  before,
}: {
  readonly usable: boolean;
  readonly before: string;
}): ReactNode {
  const [report, setReport] = useState<UntrainedReport | null>(null);
  const [asking, setAsking] = useState(false);
  const config = useShownConfig();
  const compact = useRun(({ snapshot }) => snapshot.promptStyle === 'compact');
  const ask = async (): Promise<void> => {
    setAsking(true);
    try {
      const { controller } = useRun.getState();
      setReport((await controller?.look('untrained', config)) ?? null);
    } catch (error) {
      reportError('The untrained prompts were not answered', error, 'The run is unchanged. Ask again.');
    } finally {
      setAsking(false);
    }
  };
  return (
    <section className="stack" aria-label="Prompts that it was not trained on" data-testid="untrained">
      <div className="row">
        <b>Three prompts that it was not trained on</b>
        <ActionButton size="compact-xs" usable={usable && !asking} onClick={() => void ask()}>
          {asking ? 'Answering…' : 'Answer them before and now'}
        </ActionButton>
      </div>
      <p className="quiet" role="status">
        {report === null
          ? 'A greeting, a question for a fact and a request, answered greedily, show what else training has changed.'
          : `After step ${report.step}: ${untrainedSentence(report.answers)}`}
        {compact && ' This model reads no English, so its answers say little.'}
      </p>
      {report?.answers.map(({ prompt, before: first, now, kl }) => (
        <div key={prompt} className="stack close">
          <p>
            <b>{prompt}</b> <Kl kl={kl} />
          </p>
          <div className={`${boxes.cards} ${boxes.wide}`}>
            <Said title={before} text={first}>
              {null}
            </Said>
            <Said title={now === first ? 'Now, the same' : `Now, after step ${report.step}`} text={now}>
              {null}
            </Said>
          </div>
        </div>
      ))}
    </section>
  );
}
