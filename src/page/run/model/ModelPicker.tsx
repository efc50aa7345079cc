import { TextInput } from '@mantine/core';
import { useEffect, type FormEvent, type ReactNode } from 'react';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { FullScreenDialog } from '../../ui/parts/FullScreenDialog.tsx';
import { setOpen } from '../../ui/open/openStore.ts';
import { useHub, changeModels } from './hubStore.ts';
import { DownloadState } from './DownloadState.tsx';
import { FoundModel } from './FoundModel.tsx';
import { KeptModels } from './KeptModels.tsx';
import { listKept, lookUp, searchHub } from './modelActions.ts';
import { RecommendedModels } from './RecommendedModels.tsx';
import { ServerFields } from './ServerFields.tsx';
import classes from './model.module.css';

/** The name, and what to do with it. */
function NameForm(): ReactNode {
  const { text, work } = useHub((state) => state.models);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== '') void lookUp(text.trim());
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        className={classes.name}
        label="Model"
        description="A model or a LoRA adapter: org/name or org/name@revision of the Hugging Face Hub, or the address of a folder"
        placeholder="HuggingFaceTB/SmolLM2-135M-Instruct"
        value={text}
        data-testid="model-name"
        onChange={(event) => changeModels({ text: event.currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
      />
      <ActionButton type="submit" usable={work === null && text.trim() !== ''} data-testid="model-look-up">
        Look it up
      </ActionButton>
      <ActionButton
        variant="default"
        usable={work === null && text.trim() !== ''}
        title="Lists models of the Hub whose names hold these words"
        onClick={() => void searchHub(text.trim())}
      >
        Search
      </ActionButton>
    </form>
  );
}

function SearchResults(): ReactNode {
  const { results, work } = useHub((state) => state.models);
  if (results === null) return null;
  return (
    <section aria-label="Found on the Hub">
      <h3 className={classes.heading}>Found on the Hub</h3>
      {results.length === 0 && <p className="quiet">No model has this name. Try fewer letters.</p>}
      <ul className={classes.list}>
        {results.map(({ name, downloads }) => (
          <li key={name} className={classes.row}>
            <span>
              {name} <span className="quiet">{downloads.toLocaleString('en-US')} downloads</span>
            </span>
            <ActionButton
              usable={work === null}
              aria-label={`Look up ${name}`}
              onClick={() => void lookUp(name)}
            >
              Look it up
            </ActionButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The dialog that finds, loads and deletes models. Closing it leaves a download going; its bar is there when it opens again. */
export function ModelPicker(): ReactNode {
  useEffect(() => void listKept(), []);
  return (
    <FullScreenDialog title="Choose a model" onClose={() => setOpen('models', false)}>
      <div className="page" data-testid="model-picker">
        <p className={classes.intro}>
          A model is fetched from its server once, kept in this browser, and trained here; nothing of yours is
          sent. Before its weights come, its files say what it needs of this machine.
        </p>
        <NameForm />
        <ServerFields note="for gated and private models" />
        <DownloadState />
        <FoundModel />
        <SearchResults />
        <KeptModels />
        <RecommendedModels />
      </div>
    </FullScreenDialog>
  );
}
