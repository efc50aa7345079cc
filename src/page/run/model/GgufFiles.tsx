import type { ReactNode } from 'react';
import { bytesText } from '@rl-playground/base/text';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Columns } from '../../ui/parts/words.tsx';
import tables from '../../ui/style/table.module.css';
import { useHub } from './hubStore.ts';
import { lookUp } from './modelActions.ts';
import classes from './model.module.css';

/** The GGUF files of the repository that was looked up: what each takes, and the button that chooses it. */
export function GgufFiles(): ReactNode {
  const { choices, found, work } = useHub((state) => state.models);
  if (choices.length === 0) return null;
  return (
    <section aria-label="GGUF files" data-testid="gguf-files">
      <h3 className={classes.heading}>GGUF files of the repository</h3>
      <table className={`${tables.table} ${tables.stacked}`}>
        <Columns names={['File', 'Size', 'Bits a weight']} />
        <tbody>
          {choices.map(({ address, path, bytes, bits }) => (
            <tr key={path}>
              <th scope="row">
                <ActionButton
                  usable={work === null}
                  aria-label={`Look up ${path}`}
                  onClick={() => void lookUp(address)}
                >
                  {path}
                </ActionButton>
                {found?.remote.origin.name.endsWith(`:${path}`) === true && (
                  <span className="quiet"> looked up</span>
                )}
              </th>
              <td data-label="Size">{bytesText(bytes)}</td>
              <td data-label="Bits a weight">{bits === null ? 'not stated' : bits.toFixed(1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
