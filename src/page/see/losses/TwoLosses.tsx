/** Two losses side by side on the same token, with the sentence that says whether they agree there and why. */
import { useCallback, useState, type ReactNode } from 'react';
import { LOSSES, reductionOf, type LossName } from '@rl-playground/engine/parts';
import type { LossAnswer, LossView } from '@rl-playground/run/inspect/terms';
import { FIELDS, type RunConfig } from '@rl-playground/run/settings';
import { withLoss } from '../../run/form/formChanges.ts';
import { useRun } from '../../run/state/runStore.ts';
import { useLoaded } from '../../ui/draw/useLoaded.ts';
import { LinkButton } from '../../ui/parts/buttons.tsx';
import { Choice } from '../../ui/parts/Choice.tsx';
import { Facts, Problem } from '../../ui/parts/words.tsx';
import { compact } from '../../ui/text/format.ts';
import { overAnswer, overRatio, partings, verdict, weighing, type Side } from './agreement.ts';
import { Curves } from './Curves.tsx';
import { FormulaLines } from './FormulaLines.tsx';
import classes from './losses.module.css';

type Pair<Of> = readonly [first: Of, second: Of];

const REDUCTIONS = FIELDS.flatMap((field) =>
  field.key === 'lossReduction' && field.type === 'choice' ? field.choices : [],
);

const reductionWords = (reduction: string): string => {
  const words = REDUCTIONS.find(({ value }) => value === reduction)?.label ?? reduction;
  return words.replace(/^./, (letter) => letter.toLowerCase());
};

interface Shown {
  readonly view: LossView;
  readonly config: RunConfig;
}

const sideOf = ({ view, config }: Shown, t: number): Side => ({
  name: LOSSES[config.loss].label,
  formula: view
    .at(t, compact)
    .map(({ symbols }) => symbols)
    .join('; '),
  coefficients: view.coefficients,
  weight: view.terms.weight,
  reduction: reductionWords(reductionOf(config.loss, config.lossReduction, config.clipMeaning)),
  ownReduction: reductionWords(reductionOf(config.loss, 'auto', config.clipMeaning)),
});

function OneLoss({ view, config, token, of }: Shown & { token: number; of: 'first' | 'second' }): ReactNode {
  const { weight } = view.terms;
  const g = view.coefficients[token];
  const facts = [
    ['gradient coefficient g', compact(g)],
    ['weight w', compact(weight)],
    ['w · g', compact(g === undefined ? undefined : weight * g)],
  ] as const;
  return (
    <section
      className={`stack close ${classes.side} ${classes[of]}`}
      aria-label={LOSSES[config.loss].label}
      data-testid={`loss-${of}`}
    >
      <p className="quiet">{LOSSES[config.loss].sentence}</p>
      <FormulaLines lines={view.at(token, compact)} />
      <Facts entries={facts} />
    </section>
  );
}

interface TwoLossesProps {
  /** All answers of the step. */
  readonly answers: readonly LossAnswer[];
  readonly answer: LossAnswer;
  readonly token: number;
  readonly onToken: (token: number) => void;
}

interface TwoProps extends TwoLossesProps {
  readonly config: RunConfig;
}

function Two({ answers, answer, token, onToken, config }: TwoProps): ReactNode {
  const [pair, setPair] = useState<Pair<LossName>>([config.loss, config.loss === 'ppo' ? 'grpo' : 'ppo']);
  const [one, other] = pair;
  const read = useCallback(async (): Promise<Pair<Shown> | null> => {
    const { LossView } = await import('@rl-playground/run/inspect/terms');
    const shown = async (loss: LossName): Promise<Shown | null> => {
      const asked = loss === config.loss ? config : withLoss(config, loss);
      const view = await LossView.of(answers, answer, asked);
      return view && { view, config: asked };
    };
    const [first, second] = [await shown(one), await shown(other)];
    return first && second && [first, second];
  }, [answers, answer, config, one, other]);
  const { value: shown, stale, problem } = useLoaded(read);
  const draw = useCallback(
    async () => shown && ([await shown[0].view.curve(token), await shown[1].view.curve(token)] as const),
    [shown, token],
  );
  const { value: curves } = useLoaded(draw);
  const sides = shown && ([sideOf(shown[0], token), sideOf(shown[1], token)] as const);
  const next = sides && (partings(...sides).find((t) => t > token) ?? partings(...sides)[0]);
  const ratio = shown?.[0].view.terms.ratios[token] ?? NaN;
  return (
    <div className="stack" data-testid="two-losses">
      <div className="row">
        <Choice label="First loss" value={one} words={LOSSES} onChoose={(loss) => setPair([loss, other])} />
        <Choice label="Second loss" value={other} words={LOSSES} onChoose={(loss) => setPair([one, loss])} />
      </div>
      <Problem text={problem} />
      {!stale && shown === null && <p>This answer was left out of the update, so no loss has seen it.</p>}
      {shown && sides && (
        <>
          <p className="note" aria-live="polite" data-testid="losses-verdict">
            {verdict(...sides, token, { ratio, advantage: answer.advantages[token] ?? NaN })}{' '}
            {weighing(...sides)} {overAnswer(...sides)}{' '}
            {next !== undefined && next !== null && next !== token && (
              <LinkButton onClick={() => onToken(next)}>Show token {next + 1}</LinkButton>
            )}
          </p>
          <div className={classes.sides}>
            <OneLoss {...shown[0]} token={token} of="first" />
            <OneLoss {...shown[1]} token={token} of="second" />
          </div>
          <p className="quiet">
            g = −dℓ/d log p: an update moves the weights along w · g · ∇ log p, so above 0 the token becomes
            more likely and below 0 less. In a step with one update on fresh answers every ρ is 1. With
            several updates to a step, or older answers, ρ leaves 1, and losses differ as the curves show.
          </p>
          {curves && (
            <>
              <p>{overRatio(...curves)}</p>
              <Curves names={[sides[0].name, sides[1].name]} curves={curves} ratio={ratio} />
            </>
          )}
        </>
      )}
    </div>
  );
}

export function TwoLosses(props: TwoLossesProps): ReactNode {
  const config = useRun((state) => state.snapshot.config);
  return config && <Two {...props} config={config} />;
}
