import type { ReactNode } from 'react';
import type { FieldKey } from '../../config/schema.ts';
import { plural } from '../../base/text.ts';
import { changedKeys } from '../form/settings.ts';
import { useApp } from '../store.ts';
import { Fold } from '../ui/Fold.tsx';
import { lazyPart } from '../ui/lazyPart.tsx';
import classes from './controls.module.css';

const SettingGroups = lazyPart(async () => (await import('./SettingGroups.tsx')).SettingGroups);

/** Settings that have a place of their own on the page. */
const ELSEWHERE: ReadonlySet<FieldKey> = new Set([
  'task',
  'preset',
  'model',
  'loss',
  'taskConfig',
  'mixture',
  'numSteps',
  'learningRate',
  'problemsPerStep',
  'rolloutsPerProblem',
  'numGenerators',
  'warmStartSteps',
  'warmStartLearningRate',
  'warmStartBatch',
  'warmStartData',
]);

/** Every other setting, folded. */
export function MoreSettings(): ReactNode {
  const form = useApp((state) => state.form);
  const changed = changedKeys(form).filter((key) => !ELSEWHERE.has(key)).length;
  return (
    <div className={classes.more}>
      <Fold
        title="More settings"
        note={changed > 0 ? `${plural(changed, 'change')}` : 'preset, sampling, optimizer…'}
      >
        <SettingGroups elsewhere={ELSEWHERE} />
      </Fold>
    </div>
  );
}
