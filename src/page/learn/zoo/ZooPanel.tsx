/** Twelve small runs that go wrong, each for one cause. A person runs one, sees the alarm, and applies the cure. */
import { useMemo, type ReactNode } from 'react';
import {
  curedConfig,
  sameRun,
  ZOO,
  zooConfig,
  type ZooRecipe,
  type RunConfig,
} from '@rl-playground/run/settings';
import { alarmHistory } from '@rl-playground/run/diagnosis';
import { ready, train } from '../../run/actions/actions.ts';
import { LINK_KEEPS } from '../../run/form/locks.ts';
import { canStart } from '../../run/state/phases.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Glossed } from '../../ui/parts/Glossed.tsx';
import { useForm, changeForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { showZooRun, useCharts } from '../../see/arms/chartsStore.ts';
import { ZooChart } from './ZooChart.tsx';
import boxes from '../../ui/style/boxes.module.css';

const SEED = 0;

let unfollow = (): void => undefined;

/** Shows the steps of a recipe's run as they come, until another run takes its place. */
function follow(recipe: string, kind: 'sick' | 'cured', wanted: RunConfig): void {
  const { config: before } = useRun.getState().snapshot;
  unfollow();
  unfollow = useRun.subscribe(({ snapshot: { config, metrics } }) => {
    // Until the run begins, the snapshot still shows the last one.
    if (config === null || config === before) return;
    if (!sameRun(wanted, config)) unfollow();
    else showZooRun(recipe, { [kind]: { config, metrics } });
  });
}

/** Puts the settings of a recipe into the form, and begins its run. */
function runRecipe(recipe: ZooRecipe, kind: 'sick' | 'cured'): void {
  const config = (kind === 'sick' ? zooConfig : curedConfig)(recipe, SEED);
  changeForm(() => config);
  if (!ready()) return;
  follow(recipe.id, kind, config);
  train();
}

/** The alarm of a recipe's run. The alarm of the cause may later be followed by one of its effects. */
function Outcome({ recipe, cured }: { readonly recipe: ZooRecipe; readonly cured: boolean }): ReactNode {
  const { metrics, evaluations, config, step } = useRun(({ snapshot }) => snapshot);
  const alarms = useMemo(
    () => (config === null ? [] : alarmHistory(metrics, evaluations, config)),
    [metrics, evaluations, config],
  );
  const right = alarms.find(({ id }) => id === recipe.diagnosis);
  const last = alarms.at(-1);
  const shown = cured ? last : (right ?? last);
  if (shown === undefined || (cured && shown.until !== null))
    return (
      <p role="status">
        {cured ? `The cured run is at step ${step}, without an alarm.` : `Step ${step}: no alarm yet.`}
      </p>
    );
  const found = !cured && right !== undefined;
  return (
    <p role="status" data-testid="zoo-alarm" data-right={found}>
      <b>
        Alarm at step {shown.since}: {shown.title}.
      </b>{' '}
      {cured
        ? 'The cure did not work in this run.'
        : found
          ? 'That is the cause.'
          : 'That is not the cause of this recipe, so the alarm is wrong here.'}
      {found &&
        last !== undefined &&
        last.id !== right.id &&
        ` Since step ${last.since} the alarm names an effect of it: ${last.title}.`}
    </p>
  );
}

function Recipe({ recipe }: { readonly recipe: ZooRecipe }): ReactNode {
  // A recipe sets every setting.
  const free = useForm(({ classroom }) => classroom.locked.size === 0);
  const startable = useRun(({ snapshot }) => canStart(snapshot)) && free;
  const config = useRun(({ snapshot }) => snapshot.config);
  const sick = config !== null && sameRun(zooConfig(recipe, SEED), config);
  const runs = useCharts(({ zoo }) => zoo[recipe.id]);
  // Several recipes are cured by the same settings, so these do not tell which one was.
  const cured = config !== null && runs?.cured?.config === config;
  return (
    <li className={boxes.card} data-testid={`zoo-${recipe.id}`} data-current={sick || cured}>
      <h3>{recipe.title}</h3>
      <p>
        <Glossed text={recipe.sees} />
      </p>
      <p>
        <b>Why:</b> <Glossed text={recipe.cause} />
      </p>
      <p>
        <b>Cure:</b> <Glossed text={recipe.cure} />
      </p>
      {(sick || cured) && <Outcome recipe={recipe} cured={cured} />}
      {runs?.sick !== undefined && <ZooChart recipe={recipe.id} runs={runs} />}
      <div className="row">
        <ActionButton
          usable={startable}
          onClick={() => runRecipe(recipe, 'sick')}
          aria-label={`Run it: ${recipe.title}`}
        >
          Run it
        </ActionButton>
        {sick && (
          <ActionButton
            usable={startable}
            onClick={() => runRecipe(recipe, 'cured')}
            aria-label={`Apply the cure and run again: ${recipe.title}`}
          >
            Apply the cure and run again
          </ActionButton>
        )}
      </div>
    </li>
  );
}

export function ZooPanel(): ReactNode {
  const kept = useForm((state) => state.classroom.locked.size > 0);
  return (
    <div className="stack wide">
      <p>
        Twelve small runs of <i>Reverse digits</i>, under a minute each, that go wrong for one known cause. A
        click sets up the run and starts it; then the alarm names what goes wrong.
      </p>
      {kept && <p>{LINK_KEEPS} The recipes can’t be run here.</p>}
      <ul className={`plain ${boxes.cards} ${boxes.wide}`}>
        {ZOO.map((recipe) => (
          <Recipe key={recipe.id} recipe={recipe} />
        ))}
      </ul>
    </div>
  );
}
