/** Hand-ins of a class in a table, which are re-run one after the other and held against their files. */
import { Progress, ScrollArea } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { plural } from '@rl-playground/base/text';
import tables from '../../ui/style/table.module.css';
import { csvOf } from '../../see/charts/csv.ts';
import { saveFile } from '../../ui/files/saveDownload.ts';
import { ActionButton, FileButton, LinkButton } from '../../ui/parts/buttons.tsx';
import { clock } from '../../ui/text/format.ts';
import { useRun } from '../../run/state/runStore.ts';
import { useKept, type HandInFile } from '../kept/keptStore.ts';
import { addHandIns, cancelChecks, checkHandIns, forgetHandIns, isWaiting } from './checkHandIns.ts';
import { HAND_IN_DROP_ZONE } from './dropZone.ts';
import { COLUMNS, handInsTable, outcomeText, resultText, sorted, type Column } from './handInTable.ts';
import classes from './share.module.css';

/** The progress of all files together, by the answers that their runs sample. */
function QueueProgress(): ReactNode {
  const { files, checking, agreed, pace } = useKept((state) => state.handIns);
  const row = files.find(({ id }) => id === checking);
  if (row?.claim == null) return null;
  const readable = files.flatMap((each) => each.claim ?? []);
  const all = readable.reduce((sum, { answers }) => sum + answers, 0);
  const waiting = files.filter(isWaiting).reduce((sum, { claim }) => sum + (claim?.answers ?? 0), 0);
  const { answers, steps, learner } = row.claim;
  const left = waiting - answers * (agreed / steps);
  return (
    <>
      <Progress
        style={{ alignSelf: 'stretch' }}
        value={(100 * (all - left)) / all}
        aria-label="Hand-ins verified"
      />
      <p className="quiet" data-testid="hand-in-progress">
        {plural(files.filter(isWaiting).length, 'file')} to verify. Re-running{' '}
        {learner === '' ? row.file.name : learner}, step {agreed} of {steps}.{' '}
        {pace === null ? 'The time left is known after the first step.' : `About ${clock(pace * left)} left.`}
      </p>
    </>
  );
}

function Verdict({ row, checking }: { readonly row: HandInFile; readonly checking: boolean }): ReactNode {
  const { verdict, problem } = row;
  const kind = verdict?.kind ?? (problem === null ? (checking ? 'checking' : 'waiting') : 'failed');
  const colour = kind === 'same' ? 'good' : kind === 'waiting' || kind === 'checking' ? 'quiet' : 'bad';
  return (
    <td data-label="Verdict" className={colour} data-testid="hand-in-verdict" data-verdict={kind}>
      {checking ? 'Re-running…' : outcomeText(row)}
    </td>
  );
}

function HandInRow({ row }: { readonly row: HandInFile }): ReactNode {
  const checking = useKept(({ handIns }) => handIns.checking === row.id);
  const { claim, file } = row;
  return (
    <tr data-testid="hand-in-row">
      <th scope="row">
        {claim === null ? file.name : claim.learner === '' ? 'Without a name' : claim.learner}
        {claim !== null && <div className="quiet">{file.name}</div>}
      </th>
      <td data-label="Task">
        {claim?.task}
        {claim !== null && (
          <div className="quiet">
            {claim.changes === '' ? 'Its own settings.' : `Changed: ${claim.changes}.`} Trained on{' '}
            {claim.trainedOn}.
          </div>
        )}
      </td>
      <td data-label="Steps">{claim?.steps}</td>
      <td data-label="Result as handed in">{claim && resultText(claim)}</td>
      <Verdict row={row} checking={checking} />
    </tr>
  );
}

function HandInTable({ files }: { readonly files: readonly HandInFile[] }): ReactNode {
  const [order, setOrder] = useState<{ column: Column; descending: boolean } | null>(null);
  const rows = order === null ? files : sorted(files, order.column, order.descending);
  return (
    <ScrollArea
      style={{ alignSelf: 'stretch' }}
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Table of hand-ins' }}
    >
      <table className={`${tables.table} ${tables.stacked} ${classes.handIns}`} data-testid="hand-ins">
        <thead>
          <tr>
            {COLUMNS.map((column) => {
              const sort =
                order?.column === column ? (order.descending ? 'descending' : 'ascending') : 'none';
              return (
                <th key={column} scope="col" aria-sort={sort}>
                  <LinkButton
                    onClick={() => setOrder({ column, descending: sort === 'ascending' })}
                    title="Sort by this column"
                  >
                    {column}
                  </LinkButton>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <HandInRow key={row.id} row={row} />
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

async function downloadTable(files: readonly HandInFile[]): Promise<void> {
  const text = await csvOf(handInsTable(files));
  saveFile({ filename: 'hand-ins.csv', blob: new Blob([text], { type: 'text/csv' }) });
}

export function CheckHandIns(): ReactNode {
  const { files, checking } = useKept((state) => state.handIns);
  const ready = useRun(({ controller }) => controller !== null);
  const busy = checking !== null;
  const waiting = files.filter(isWaiting).length;
  const undecided = files.some(({ verdict }) => verdict?.kind === 'undecided');
  return (
    <div
      className="stack wide"
      style={{ alignItems: 'flex-start' }}
      role="group"
      aria-label="Check hand-ins"
      {...{ [HAND_IN_DROP_ZONE]: '' }}
    >
      <h3 className="panel-title">Check hand-ins</h3>
      <p className="quiet">
        Choose the files of your class, or drop them here. The page trains each run again and compares it with
        its file. The run on this page, its settings and the link above stay as they are.
      </p>
      <div className="row">
        <FileButton
          accept=".json"
          multiple
          inputName="Hand-ins to check"
          inputTestId="hand-in-input"
          onFiles={(chosen) => void addHandIns(chosen)}
        >
          Choose files…
        </FileButton>
        <FileButton
          accept=""
          folder
          inputName="Folder of hand-ins"
          inputTestId="hand-in-folder"
          onFiles={(chosen) => void addHandIns(chosen)}
        >
          Choose a folder…
        </FileButton>
        {files.length > 0 && (
          <>
            <ActionButton
              usable={ready && (busy || files.length > 0)}
              data-testid="hand-in-replay"
              onClick={() => (busy ? cancelChecks() : void checkHandIns())}
            >
              {busy ? 'Cancel' : `Re-run and verify${waiting > 1 ? ` ${waiting} files` : ''}`}
            </ActionButton>
            <ActionButton
              variant="default"
              onClick={() => void downloadTable(files)}
              data-testid="hand-in-csv"
            >
              Download as CSV
            </ActionButton>
            <ActionButton variant="default" usable={!busy} onClick={forgetHandIns}>
              Clear the table
            </ActionButton>
          </>
        )}
      </div>
      {busy && <QueueProgress />}
      {files.length > 0 && <HandInTable files={files} />}
      <p role="status" className="visually-hidden">
        {busy
          ? ''
          : files.length > 0 &&
            `${plural(files.filter(({ verdict }) => verdict?.kind === 'same').length, 'file')} of ${files.length} verified.`}
      </p>
      {undecided && (
        <p>
          A run that was trained on another kind of device or browser differs in its last digits, so it can’t
          be verified here. Its answers do earn the scores in the file. To verify it, open this page on the
          same kind of device, or add ?backend=wasm to the address if the run was trained on the CPU.
        </p>
      )}
    </div>
  );
}
