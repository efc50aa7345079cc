import { Checkbox, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { repositoryProblem, tokenProblem } from '../../../bridges/push/pushTarget.ts';
import { HubFields } from '../../run/model/ServerFields.tsx';
import { useTokenCheck } from '../../run/model/hubSettings.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { changePush, useKept } from '../kept/keptStore.ts';
import { preparePush } from './pushActions.ts';
import classes from './export.module.css';

/** Where the model is to go on the Hub. `usable`: whether it can be asked for now. */
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
    <form className={classes.form} onSubmit={submit} data-testid="push-form">
      <TextInput
        label="Repository"
        description="org/name; it is made where there is none"
        placeholder="your-name/my-model"
        value={repo}
        error={named === '' ? null : repositoryProblem(named)}
        data-testid="push-repo"
        onChange={(event) => changePush({ repo: event.currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
      />
      <Checkbox
        label="Private: nobody but you and your organization sees it"
        checked={isPrivate}
        data-testid="push-private"
        onChange={(event) => changePush({ isPrivate: event.currentTarget.checked })}
      />
      <HubFields />
      <div className={classes.actions}>
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
