import { useMemo, type ReactNode } from 'react';
import { UploadIcon } from '../../ui/parts/icons.tsx';
import { CompletionText } from '../../ui/parts/CompletionText.tsx';
import { ActionButton, FileButton } from '../../ui/parts/buttons.tsx';
import { useForm } from '../../run/form/formStore.ts';
import { lengthsOf, sampleOf } from './rowFacts.ts';
import { removeSftRows, takeSftFile } from './sftRows.ts';
import controls from '../../run/controls/controls.module.css';
import classes from './sft.module.css';

function What(): ReactNode {
  const file = useForm((state) => state.sftRows.file);
  const wanted = useForm((state) => state.form.warmStartData);
  const facts = useMemo(() => (file === null ? null : lengthsOf(file.rows)), [file]);
  const sample = file === null ? null : sampleOf(file.rows);
  if (file === null || sample === null) {
    return (
      <p className={controls.summary}>
        Drop a JSONL file here, or choose one. Each line is a JSON object in one of the two formats of TRL:
        <code className={classes.format}>{'{"prompt": "…", "completion": "…"}'}</code>
        <code className={classes.format}>{'{"messages": [{"role": "user", "content": "…"}, …]}'}</code>
      </p>
    );
  }
  return (
    <>
      <p className={controls.summary} data-testid="warmup-rows">
        <span className={classes.name}>{file.name}</span>: {facts}
        {file.name !== wanted && ` The settings name another file, ${wanted}.`}
      </p>
      <dl className={`note ${controls.example}`}>
        <dt>Question</dt>
        <dd className={controls.asked}>{sample.asked}</dd>
        <dt>To write</dt>
        <dd>
          <CompletionText text={sample.answer} />
        </dd>
      </dl>
    </>
  );
}

/** The file that the warm-up learns from: what is in it, another in its place, none. */
export function RowsFile({ locked }: { locked: boolean }): ReactNode {
  const { file, reading } = useForm((state) => state.sftRows);
  return (
    <div className={classes.file}>
      <What />
      <div className="row">
        <FileButton
          leftSection={<UploadIcon />}
          usable={!locked && reading === null}
          accept=".jsonl,.ndjson,.json,.txt"
          inputName="Rows for the warm-up"
          inputTestId="warmup-input"
          onFiles={([chosen]) => void takeSftFile(chosen)}
        >
          {reading !== null ? `Reading ${reading}…` : file === null ? 'Choose a file…' : 'Another file…'}
        </FileButton>
        {file !== null && (
          <ActionButton usable={!locked} onClick={() => void removeSftRows()}>
            Remove
          </ActionButton>
        )}
      </div>
    </div>
  );
}
