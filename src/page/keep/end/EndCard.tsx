/** The card at the end of a run: its result, one problem before and after, and what to do next. */
import type { ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import { formAndContent, formText, resultSentence } from '@rl-playground/run/diagnosis';
import { headlineOf, type EvalSample } from '@rl-playground/run/loop';
import { downloadCheckpoint } from '../kept/runFiles.ts';
import { clock, percent } from '../../ui/text/format.ts';
import { RightOrWrong } from '../../ui/parts/words.tsx';
import { reportError } from '../../ui/open/openStore.ts';
import { showRuns, showAsk } from '../../ui/open/places.ts';
import { Said } from '../../see/evaluation/Said.tsx';
import { Asked } from '../../see/rollouts/ProblemCard.tsx';
import { RewardReason } from '../../see/rollouts/RewardReason.tsx';
import { tellingProblem, useEnded, type EndsOfRun } from './ended.ts';
import { saveResultPicture } from './resultPicture.ts';
import { CopyLink, useLink } from '../share/CopyLink.tsx';
import { canStart } from '../../run/state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Panel } from '../../ui/parts/Panel.tsx';
import { useHidden } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { present, useKept } from '../kept/keptStore.ts';
import boxes from '../../ui/style/boxes.module.css';

function Sample({ title, sample }: { readonly title: string; readonly sample: EvalSample }): ReactNode {
  return (
    <Said
      title={
        <>
          {title} <RightOrWrong right={sample.correct} />
        </>
      }
      text={sample.text}
    >
      {sample.reward && <RewardReason reward={sample.reward} />}
    </Said>
  );
}

function ShareButton(): ReactNode {
  const link = useLink(useRun((state) => state.snapshot.config));
  return link && <CopyLink link={link} label="Copy link" testId="share-run" />;
}

/** The result of a run, with `next` under it. */
function Ended({ before, after, next }: EndsOfRun & { readonly next: ReactNode }): ReactNode {
  const seconds = useRun(({ snapshot }) => snapshot.wallSeconds);
  const startable = useRun((state) => canStart(state.snapshot));
  const [then, now] = [headlineOf(before), headlineOf(after)];
  const greedy = then.kind === 'greedy' && now.kind === 'greedy';
  const [first, last] = greedy ? [then.share, now.share] : [before.accuracy, after.accuracy];
  const { text, sure } = resultSentence(before, after);
  const split = formAndContent(before, after);
  const form = split && formText(split);
  const pair = tellingProblem({ before, after });
  const withoutRuns = useHidden('runs');
  const comparable = useKept((kept) => present(kept).length > 1) && !withoutRuns;
  return (
    <Panel title="Result of this run" testId="end-card">
      <p style={{ fontSize: 19 }}>
        <b className="number">
          {percent(first)} → {percent(last)}
        </b>{' '}
        right in <b className="number">{clock(seconds)}</b>
      </p>
      <p className={sure ? undefined : 'quiet'}>
        {greedy ? 'Greedy' : 'Sampled'} accuracy on {plural(after.n, 'held-out problem')}, before and after{' '}
        {plural(after.step, 'step')}. {text}
      </p>
      {form !== null && <p className="quiet">{form}</p>}
      <div className="row">
        <ActionButton variant="outline" usable onClick={showAsk} data-testid="try-model">
          Try it on your own problem
        </ActionButton>
        <ActionButton
          usable={startable}
          title="This browser keeps the model too; the checkpoint is for use elsewhere"
          onClick={() => downloadCheckpoint({ full: false })}
        >
          Download the model
        </ActionButton>
        {comparable && (
          <ActionButton usable onClick={showRuns}>
            Compare runs
          </ActionButton>
        )}
        <ActionButton
          usable
          title="A PNG with the accuracy before and after, the curve and one problem"
          data-testid="result-picture"
          onClick={() => {
            const { snapshot } = useRun.getState();
            saveResultPicture(snapshot, { before, after }, pair).catch((error: unknown) =>
              reportError('The picture could not be made', error, 'The run is unchanged. Try again.'),
            );
          }}
        >
          Save a picture
        </ActionButton>
        <ShareButton />
      </div>
      {next}
      {pair !== null && (
        <>
          <p className="note">
            <Asked {...pair.before} />
          </p>
          {greedy && before.temperature > 0 && (
            <p className="quiet">
              One sampled answer each, at temperature {before.temperature}; the greedy answer may differ.
            </p>
          )}
          <div className={`${boxes.cards} ${boxes.wide}`}>
            <Sample title="Before" sample={pair.before} />
            <Sample title={`After step ${after.step}`} sample={pair.after} />
          </div>
        </>
      )}
    </Panel>
  );
}

/** The card of a run that has ended and was evaluated before and after. */
export function EndCard({ next }: { readonly next: ReactNode }): ReactNode {
  const ended = useEnded();
  return ended && <Ended {...ended} next={next} />;
}
