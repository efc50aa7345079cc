import { TextInput, Progress } from '@mantine/core';
import { useEffect, type FormEvent, type ReactNode } from 'react';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { FullScreenDialog } from '../../ui/parts/FullScreenDialog.tsx';
import { setOpen } from '../../ui/open/openStore.ts';
import { useHub, changeModels } from './hubStore.ts';
import { FoundModel } from './FoundModel.tsx';
import { listKept, lookUp, searchHub, cancel, loadKept, removeKept } from './modelActions.ts';
import { RecommendedModels } from './RecommendedModels.tsx';
import { ServerFields } from './ServerFields.tsx';
import classes from './model.module.css';
import { bytesText } from '@rl-playground/base/text';
import type { DownloadProgress } from '@rl-playground/engine/parts';
import { useRun } from '../state/runStore.ts';

/** What this browser keeps, downloads that were broken off included. */
function KeptModels(): ReactNode {
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
              <span className="row">
                <ActionButton
                  usable={work === null}
                  aria-label={`${whole ? 'Load' : 'Go on with'} ${label}`}
                  onClick={() => void loadKept(model)}
                >
                  {whole ? 'Load' : 'Go on'}
                </ActionButton>
                <ActionButton
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

/** "3 s", "2 min". */
function timeText(seconds: number): string {
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;
}

function downloadText({ path, done, total, bytesPerSecond, retrying }: DownloadProgress): string {
  const amount = `${bytesText(done)} of ${bytesText(total)}`;
  if (retrying !== null) return `${amount}; ${retrying}, trying again`;
  if (bytesPerSecond === null || bytesPerSecond <= 0) return `${path}: ${amount}`;
  return `${path}: ${amount}, ${bytesText(bytesPerSecond)} a second, ${timeText((total - done) / bytesPerSecond)} left`;
}

const WORDS = { looking: 'Looking it up…', searching: 'Asking the Hub…', loading: 'Loading…' } as const;

/** How far a download is, and what was said of the last work. */
function DownloadState(): ReactNode {
  const { work, progress, failed, said } = useHub((state) => state.models);
  const engine = useRun((state) => state.snapshot.progress);
  if (work === null)
    return (
      <>
        {failed !== null && (
          <p role="alert" className={classes.failed} data-testid="model-failed">
            {failed}
          </p>
        )}
        <p role="status" className="quiet">
          {said}
        </p>
      </>
    );
  const whole = progress !== null && progress.done === progress.total;
  const text =
    progress === null
      ? WORDS[work]
      : whole
        ? (engine?.label ?? 'Checking the weights…')
        : downloadText(progress);
  return (
    <div className={classes.download} data-testid="model-progress" data-done={progress?.done ?? 0}>
      <Progress
        value={progress === null ? 100 : (100 * progress.done) / Math.max(1, progress.total)}
        animated={progress === null || whole}
        aria-label="Download of the model"
      />
      <div className={classes.row}>
        <span role="status">{text}</span>
        {!whole && (
          <ActionButton onClick={cancel} data-testid="model-cancel">
            Cancel
          </ActionButton>
        )}
      </div>
    </div>
  );
}

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
      />
      <ActionButton type="submit" usable={work === null && text.trim() !== ''} data-testid="model-look-up">
        Look it up
      </ActionButton>
      <ActionButton
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
