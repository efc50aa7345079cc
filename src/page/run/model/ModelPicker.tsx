import { TextInput } from '@mantine/core';
import { useEffect, type FormEvent, type ReactNode } from 'react';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { FullScreenDialog } from '../../ui/parts/FullScreenDialog.tsx';
import { setOpen } from '../../ui/open/openStore.ts';
import { useHub, changeModels } from './hubStore.ts';
import { GgufFiles } from './GgufFiles.tsx';
import { DownloadState } from './DownloadState.tsx';
import { FoundModel } from './FoundModel.tsx';
import { listKept, lookUp, searchHub, loadKept, removeKept } from './modelActions.ts';
import { BundledModels } from './BundledModels.tsx';
import { RecommendedModels } from './RecommendedModels.tsx';
import { ServerFields } from './ServerFields.tsx';
import { count } from '../../ui/text/format.ts';
import boxes from '../../ui/style/boxes.module.css';
import classes from './model.module.css';
import { bytesText } from '@rl-playground/base/text';

interface ListedProps {
  readonly name: string;
  readonly about: string;
  readonly testId?: string;
  /** The actions of its buttons, by the words on them. */
  readonly actions: Readonly<Record<string, () => unknown>>;
}

/** A model of a list, with its buttons. */
function Listed({ name, about, testId, actions }: ListedProps): ReactNode {
  const work = useHub((state) => state.models.work);
  return (
    <li className={boxes.item} data-testid={testId}>
      <span>
        {name} <span className="quiet">{about}</span>
      </span>
      <span className="row">
        {Object.entries(actions).map(([label, act]) => (
          <ActionButton
            key={label}
            usable={work === null}
            aria-label={`${label} ${name}`}
            onClick={() => void act()}
          >
            {label}
          </ActionButton>
        ))}
      </span>
    </li>
  );
}

/** The models that this browser keeps, with downloads that were broken off. */
function KeptModels(): ReactNode {
  const kept = useHub((state) => state.models.kept);
  if (kept === null || kept.length === 0) return null;
  return (
    <section aria-label="Kept in this browser">
      <h3 className={classes.heading}>
        Kept in this browser{' '}
        <span className="quiet">{bytesText(kept.reduce((sum, { there }) => sum + there, 0))} together</span>
      </h3>
      <ul className="plain">
        {kept.map((model) => {
          const { key, label, whole, isAdapter, isOnnx, there, bytes, origin } = model;
          const size = whole ? bytesText(there) : `${bytesText(there)} of ${bytesText(bytes)}`;
          const commit = origin.commit === null ? '' : `, commit ${origin.commit.slice(0, 8)}`;
          return (
            <Listed
              key={key}
              name={isAdapter ? `${label}, adapter` : isOnnx ? `${label}, reward model` : label}
              about={`${size}${commit}`}
              testId="kept-model"
              actions={{
                ...(!isOnnx && { [whole ? 'Load' : 'Resume']: () => loadKept(model) }),
                Delete: () => removeKept(key),
              }}
            />
          );
        })}
      </ul>
    </section>
  );
}

/** The field for the name of a model, with buttons that look it up and search for it. */
function NameForm(): ReactNode {
  const { text, work } = useHub((state) => state.models);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== '') void lookUp(text.trim());
  };
  return (
    <form className={`row ${classes.form}`} onSubmit={submit}>
      <TextInput
        className={classes.name}
        label="Model"
        description="A model or a LoRA adapter: org/name or org/name@revision of the Hugging Face Hub, with :file.gguf behind it for one of its GGUF files, or the address of a folder or a GGUF file"
        placeholder="HuggingFaceTB/SmolLM2-135M-Instruct"
        value={text}
        data-testid="model-name"
        onChange={(event) => changeModels({ text: event.currentTarget.value })}
      />
      <ActionButton type="submit" usable={work === null && text.trim() !== ''} data-testid="model-look-up">
        Look up
      </ActionButton>
      <ActionButton
        usable={work === null && text.trim() !== ''}
        title="Lists models of the Hub whose names contain these words"
        onClick={() => void searchHub(text.trim())}
      >
        Search
      </ActionButton>
    </form>
  );
}

function SearchResults(): ReactNode {
  const results = useHub((state) => state.models.results);
  if (results === null) return null;
  return (
    <section aria-label="Found on the Hub">
      <h3 className={classes.heading}>Found on the Hub</h3>
      {results.length === 0 && <p className="quiet">No model has this name. Try fewer letters.</p>}
      <ul className="plain">
        {results.map(({ name, downloads }) => (
          <Listed
            key={name}
            name={name}
            about={`${count(downloads)} downloads`}
            actions={{ 'Look up': () => lookUp(name) }}
          />
        ))}
      </ul>
    </section>
  );
}

/** The dialog that finds, loads and deletes models. A download goes on while it is closed. */
export function ModelPicker(): ReactNode {
  useEffect(() => void listKept(), []);
  return (
    <FullScreenDialog title="Choose a model" onClose={() => setOpen('models', false)}>
      <div className="page" data-testid="model-picker">
        <BundledModels />
        <h3 className={classes.heading}>From the Hugging Face Hub or a server</h3>
        <p>
          The page downloads a model once, keeps it in this browser, and trains it here. It uploads nothing of
          yours. You will see how much memory it needs before it downloads.
        </p>
        <NameForm />
        <ServerFields note="for gated and private models" />
        <DownloadState />
        <GgufFiles />
        <FoundModel />
        <SearchResults />
        <KeptModels />
        <RecommendedModels />
      </div>
    </FullScreenDialog>
  );
}
