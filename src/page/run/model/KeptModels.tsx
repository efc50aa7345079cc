import type { ReactNode } from 'react';
import { bytesText } from '@rl-playground/base/text';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useHub } from './hubStore.ts';
import { loadKept, removeKept } from './modelActions.ts';
import classes from './model.module.css';

/** What this browser keeps, downloads that were broken off included. */
export function KeptModels(): ReactNode {
  const { kept, work } = useHub((state) => state.models);
  if (kept === null || kept.length === 0) return null;
  return (
    <section aria-label="Kept in this browser">
      <h3 className={classes.heading}>
        Kept in this browser{' '}
        <span className="quiet">{bytesText(kept.reduce((sum, { there }) => sum + there, 0))} together</span>
      </h3>
      <ul className={classes.list}>
        {kept.map((model) => {
          const { key, label, whole, isAdapter, there, bytes, origin } = model;
          return (
            <li key={key} className={classes.row} data-testid="kept-model">
              <span>
                {label}
                {isAdapter ? ', adapter' : ''}{' '}
                <span className="quiet">
                  {whole ? bytesText(there) : `${bytesText(there)} of ${bytesText(bytes)}`}
                  {origin.commit === null ? '' : `, commit ${origin.commit.slice(0, 8)}`}
                </span>
              </span>
              <span className={classes.buttons}>
                <ActionButton
                  usable={work === null}
                  aria-label={`${whole ? 'Load' : 'Go on with'} ${label}`}
                  onClick={() => void loadKept(model)}
                >
                  {whole ? 'Load' : 'Go on'}
                </ActionButton>
                <ActionButton
                  variant="default"
                  usable={work === null}
                  aria-label={`Delete ${label}`}
                  onClick={() => void removeKept(key)}
                >
                  Delete
                </ActionButton>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
