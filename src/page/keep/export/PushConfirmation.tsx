import type { ReactNode } from 'react';
import { bytesText, grouped, plural } from '@rl-playground/base/text';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { type PreparedPush } from '../kept/keptStore.ts';
import { forgetPrepared, sendPrepared } from './pushActions.ts';
import tables from '../../ui/style/table.module.css';
import classes from './export.module.css';

/** What will be there of it: private or not is for a repository that is made to choose. */
function whereText({ target: { isPrivate }, there }: PreparedPush): string {
  if (there === null)
    return `The repository is made, ${isPrivate ? 'private' : 'public: everyone can read it'}.`;
  const seen = there.isPrivate ? 'private' : 'public: everyone can read it';
  return `The repository is there already, and ${seen}. Files of these names are replaced, others stay.`;
}

/** Names the repository and lists what goes there, before a byte of it does. `idle`: whether nothing is under way. */
export function PushConfirmation({ prepared, idle }: { prepared: PreparedPush; idle: boolean }): ReactNode {
  const { target, files } = prepared;
  const bytes = [...files.values()].reduce((sum, { size }) => sum + size, 0);
  return (
    <section aria-label="What is sent" data-testid="push-confirmation">
      <p>
        {plural(files.size, 'file')}, {bytesText(bytes)} together, to <strong>{target.repo}</strong>
        {target.hubUrl === undefined ? ' on the Hugging Face Hub' : ` on ${target.hubUrl}`}.{' '}
        {whereText(prepared)}
      </p>
      <table className={`${tables.table} ${tables.figures}`}>
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">Bytes</th>
          </tr>
        </thead>
        <tbody>
          {[...files].map(([name, { size }]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{grouped(size)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {idle && (
        <div className={classes.actions}>
          <ActionButton usable data-testid="push-send" onClick={() => void sendPrepared()}>
            Send to {target.repo}
          </ActionButton>
          <ActionButton usable variant="default" onClick={forgetPrepared}>
            Back
          </ActionButton>
        </div>
      )}
    </section>
  );
}
