import { Checkbox, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { repositoryProblem, tokenProblem } from '@rl-playground/bridges/push/target';
import { HubFields } from '../../run/model/ServerFields.tsx';
import { useTokenCheck } from '../../run/model/hubStore.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Columns } from '../../ui/parts/words.tsx';
import { changePush, useKept, type PreparedPush } from '../kept/keptStore.ts';
import { preparePush, forgetPrepared, sendPrepared } from './exportActions.ts';
import { bytesText, grouped, plural } from '@rl-playground/base/text';
import tables from '../../ui/style/table.module.css';

/** The repository on the Hub that the model is sent to. */
export function PushForm({ usable }: { usable: boolean }): ReactNode {
  const { repo, isPrivate } = useKept((state) => state.push);
  const tokenFault = useTokenCheck(tokenProblem);
  const named = repo.trim();
  const problem = named === '' ? 'Name the repository.' : (repositoryProblem(named) ?? tokenFault);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (usable && problem === null) void preparePush();
  };
  return (
    <form className="stack wide" onSubmit={submit} data-testid="push-form">
      <TextInput
        label="Repository"
        description="org/name; created if it does not exist yet"
        placeholder="your-name/my-model"
        value={repo}
        error={named === '' ? null : repositoryProblem(named)}
        data-testid="push-repo"
        onChange={(event) => changePush({ repo: event.currentTarget.value })}
      />
      <Checkbox
        label="Private: only you and your organization can see it"
        checked={isPrivate}
        data-testid="push-private"
        onChange={(event) => changePush({ isPrivate: event.currentTarget.checked })}
      />
      <HubFields />
      <div className="row">
        <ActionButton
          type="submit"
          usable={usable && problem === null}
          {...(problem === null ? {} : { title: problem })}
          data-testid="push-review"
        >
          Review what is sent…
        </ActionButton>
      </div>
    </form>
  );
}

/** The readers of the repository. An existing one keeps its own choice. */
function whereText({ target: { isPrivate }, there }: PreparedPush): string {
  if (there === null)
    return `The repository will be created: ${isPrivate ? 'private' : 'public: everyone can read it'}.`;
  const seen = there.isPrivate ? 'private' : 'public: everyone can read it';
  return `The repository exists already and is ${seen}. Files with these names are replaced; others stay.`;
}

/** Names the repository and lists the files before anything is sent. */
export function PushConfirmation({ prepared, idle }: { prepared: PreparedPush; idle: boolean }): ReactNode {
  const { target, files } = prepared;
  const bytes = [...files.values()].reduce((sum, { size }) => sum + size, 0);
  return (
    <section className="stack wide" aria-label="What is sent" data-testid="push-confirmation">
      <p>
        {plural(files.size, 'file')}, {bytesText(bytes)} together, to <strong>{target.repo}</strong>
        {target.hubUrl === undefined ? ' on the Hugging Face Hub' : ` on ${target.hubUrl}`}.{' '}
        {whereText(prepared)}
      </p>
      <table className={`${tables.table} ${tables.figures}`}>
        <Columns names={['File', 'Bytes']} />
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
        <div className="row">
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
