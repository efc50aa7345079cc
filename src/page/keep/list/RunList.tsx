/** The runs that this browser keeps, newest first, each with its changes since the run before. */
import { Switch } from '@mantine/core';
import { useCallback, useState, type ReactNode } from 'react';
import { bytesText, plural } from '@rl-playground/base/text';
import type { RunConfig } from '@rl-playground/run/settings';
import { runBegan, keptConfig, type KeptRun } from '@rl-playground/run/kept';
import { runSeeds, SEED_COUNTS, stopSeeds } from '../compare/compareActions.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useLoaded } from '../../ui/draw/useLoaded.ts';
import { Panel } from '../../ui/parts/Panel.tsx';
import { changesText } from '../kept/changes.ts';
import { nameOf } from '../kept/labels.ts';
import { setPastWeights } from '../kept/keptActions.ts';
import { PAST_WEIGHTS_ID, runListPlace } from '../../ui/open/places.ts';
import { canStart, isUnderWay } from '../../run/state/phases.ts';
import { useForm } from '../../run/form/formStore.ts';
import { useRun } from '../../run/state/runStore.ts';
import { useCharts } from '../../see/arms/chartsStore.ts';
import { useKept } from '../kept/keptStore.ts';
import { DeletedRow, RunRow } from './RunRow.tsx';
import { SeedGroup } from './SeedGroup.tsx';

/** The number of runs that are listed at first. */
const FEW = 8;

const read = new Map<string, RunConfig>();

/** The settings of each run, read once. */
function useConfigs(runs: readonly KeptRun[]): ReadonlyMap<string, RunConfig> {
  const readAll = useCallback(async () => {
    for (const kept of runs.filter(({ run }) => !read.has(run))) {
      const config = await keptConfig(kept).catch(() => null);
      if (config) read.set(kept.run, config);
    }
    return new Map(read);
  }, [runs]);
  return useLoaded(readAll).value ?? read;
}

function PastWeights({ bytes }: { readonly bytes: number }): ReactNode {
  const on = useKept((state) => state.pastWeights);
  return (
    <Switch
      id={PAST_WEIGHTS_ID}
      label="Keep the weights of past steps"
      description={
        on
          ? `The token inspector needs them to score an answer with the weights that wrote it. They take ${bytesText(bytes)}; switching this off deletes them.`
          : 'The token inspector scores answers with the present weights.'
      }
      checked={on}
      onChange={(event) => void setPastWeights(event.currentTarget.checked)}
    />
  );
}

/** Buttons that train the current settings several times, each time with the next seed. */
function SeedQueue(): ReactNode {
  const queue = useCharts((state) => state.queue);
  const free = useRun(({ snapshot }) => canStart(snapshot) && !isUnderWay(snapshot.phase));
  const seedLocked = useForm(({ classroom }) => classroom.locked.has('seed'));
  if (seedLocked) return null;
  if (queue !== null)
    return (
      <span className="row" role="status">
        Seed {Math.min(queue.done + 1, queue.total)} of {queue.total}
        <ActionButton usable={!queue.stopping} onClick={stopSeeds}>
          {queue.stopping ? 'Ends after this run' : 'End after this run'}
        </ActionButton>
      </span>
    );
  return (
    <span className="row">
      {SEED_COUNTS.map((count) => (
        <ActionButton
          key={count}
          usable={free}
          title={
            free
              ? 'Trains the current settings several times, each time with the next seed. They are one entry of the list, whose tick draws their mean and its 95% interval.'
              : 'You can press this when the current run has ended'
          }
          onClick={() => void runSeeds(count)}
        >
          Run {count} seeds
        </ActionButton>
      ))}
    </span>
  );
}

export function RunList(): ReactNode {
  const { runs, labels, storage } = useKept();
  const [all, setAll] = useState(false);
  const configs = useConfigs(runs);
  if (runs.length === 0)
    return (
      <section className="panel padded" aria-label="Runs" {...runListPlace}>
        <p className="quiet">
          No run is kept in this browser yet. Every run that you train is kept here with its curves, answers
          and weights, so that it can be compared, continued, forked and reported on.
        </p>
      </section>
    );
  const inOrder = runs.toSorted((a, b) => runBegan(b.run) - runBegan(a.run));
  /** Each run, or several seeds together at the place of the newest. */
  const entries = new Map<string, KeptRun[]>();
  for (const kept of inOrder) {
    const { deleted, group } = labels[kept.run] ?? {};
    const id = deleted === undefined ? (group ?? kept.run) : kept.run;
    entries.set(id, [...(entries.get(id) ?? []), kept]);
  }
  const changesOf = (kept: KeptRun): string | null => {
    const before = inOrder[inOrder.indexOf(kept) + 1];
    if (before === undefined) return 'the first run';
    const [after, earlier] = [configs.get(kept.run), configs.get(before.run)];
    return after && earlier ? changesText(earlier, after) : null;
  };
  const row = (kept: KeptRun, inGroup: boolean): ReactNode => {
    const name = nameOf(kept.run, labels);
    const label = labels[kept.run];
    if (label?.deleted !== undefined) return <DeletedRow key={kept.run} kept={kept} name={name} />;
    const config = configs.get(kept.run) ?? null;
    return <RunRow key={kept.run} {...{ kept, name, label, config, inGroup }} changes={changesOf(kept)} />;
  };
  return (
    <div {...runListPlace}>
      <Panel
        title="Runs"
        testId="runs"
        aside={
          <span className="quiet">
            {plural(runs.length, 'run')}
            {storage !== null &&
              `, ${bytesText(storage.used)} of the ${bytesText(storage.quota)} that the browser gives this page`}
          </span>
        }
      >
        <SeedQueue />
        <ul className="plain">
          {[...entries].slice(0, all ? undefined : FEW).map(([id, group]) => {
            const [newest, ...others] = group;
            if (newest === undefined || others.length === 0) return group.map((kept) => row(kept, false));
            return (
              <SeedGroup key={id} run={newest.run} config={configs.get(newest.run) ?? null}>
                {group.map((kept) => row(kept, true))}
              </SeedGroup>
            );
          })}
        </ul>
        <PastWeights bytes={runs.reduce((sum, { pastBytes }) => sum + pastBytes, 0)} />
        {entries.size > FEW && (
          <ActionButton usable variant="subtle" onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${inOrder.length} runs`}
          </ActionButton>
        )}
      </Panel>
    </div>
  );
}
