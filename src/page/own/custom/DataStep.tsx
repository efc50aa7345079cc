import { NativeSelect, Textarea } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { DataProgress } from '@rl-playground/bridges/dataset';
import type { Columns } from '@rl-playground/tasks/parts';
import { plural } from '@rl-playground/base/text';
import { count } from '../../ui/text/format.ts';
import { HubRows } from '../../run/controls/HubRows.tsx';
import { FileButton } from '../../ui/parts/buttons.tsx';
import { Columns as Heads } from '../../ui/parts/words.tsx';
import { withDataset, withFiles, withColumns, withText, type Draft } from './draft.ts';
import own from './custom.module.css';
import tables from '../../ui/style/table.module.css';
import boxes from '../../ui/style/boxes.module.css';

/** Further bad lines are only counted. */
const BAD_SHOWN = 5;
const ROWS_SHOWN = 3;

interface StepProps {
  readonly draft: Draft;
  readonly onChange: (change: (draft: Draft) => Draft) => void;
}

function ColumnChoice({ draft, onChange }: StepProps): ReactNode {
  const { table, columns } = draft;
  if (table === null || table.columns.length < 2) return null;
  const names = table.columns.map((name, index) => ({
    value: String(index),
    label: name || `Column ${index + 1}`,
  }));
  const choice = (which: 'question' | 'answer', label: string): ReactNode => (
    <NativeSelect
      label={label}
      value={String(columns?.[which] ?? -1)}
      onChange={(event) => {
        const index = Number(event.currentTarget.value);
        const first = { question: index === 0 ? 1 : 0, answer: index === 0 ? 1 : 0 };
        onChange((now) => withColumns(now, table, { ...(now.columns ?? first), [which]: index }));
      }}
      data={[...(columns === null ? [{ value: '-1', label: 'Choose…' }] : []), ...names]}
    />
  );
  const other = (which: 'context' | 'input' | 'choices', label: string, named: Columns): ReactNode => (
    <NativeSelect
      label={label}
      value={String([named[which]].flat()[0] ?? -1)}
      onChange={(event) => {
        const index = Number(event.currentTarget.value);
        const { [which]: _, ...rest } = named;
        const chosen = which === 'choices' ? { choices: [index] } : { [which]: index };
        onChange((now) => withColumns(now, table, index < 0 ? rest : { ...rest, ...chosen }));
      }}
      data={[{ value: '-1', label: 'None' }, ...names]}
    />
  );
  return (
    <div className={boxes.cards}>
      {choice('question', 'Column with the question')}
      {choice('answer', 'Column with the answer')}
      {columns !== null && table.columns.length > 2 && (
        <>
          {other('context', 'Text above the question', columns)}
          {other('input', 'Text below the question', columns)}
          {other('choices', 'Column with the choices', columns)}
        </>
      )}
    </div>
  );
}

function WhatWasRead({ draft }: { draft: Draft }): ReactNode {
  const { table, rows, bad, taken, error } = draft;
  return (
    <div role="status" aria-live="polite" data-testid="own-read" className="stack">
      {error !== null && <p className="note bad">{error}</p>}
      {rows.length > 0 && (
        <p>
          <b>{plural(rows.length, 'row')}</b>
          {table !== null && taken !== '' && error === null && ` read from ${table.format}: ${taken}`}
          {error !== null && ' from earlier are kept.'}
        </p>
      )}
      {bad.length > 0 && (
        <div className="sunken">
          {plural(bad.length, 'line')} left out:
          <ul>
            {bad.slice(0, BAD_SHOWN).map(({ line, message }) => (
              <li key={line}>
                line {count(line)} {message}
              </li>
            ))}
            {bad.length > BAD_SHOWN && <li>and {count(bad.length - BAD_SHOWN)} more</li>}
          </ul>
        </div>
      )}
    </div>
  );
}

function RowsFromHub({ onChange }: Pick<StepProps, 'onChange'>): ReactNode {
  const [progress, setProgress] = useState<DataProgress | null>(null);
  const loading = useRef(new AbortController());
  // A closed editor takes no more rows.
  useEffect(() => () => loading.current.abort(), []);
  const load = async (name: string): Promise<void> => {
    loading.current = new AbortController();
    const { signal } = loading.current;
    setProgress({ done: 0, total: 0 });
    onChange(await withDataset(name, { signal, onProgress: setProgress }));
    setProgress(null);
  };
  return (
    <HubRows
      start=""
      usable
      progress={progress}
      onLoad={(name) => void load(name)}
      onCancel={() => loading.current.abort()}
    />
  );
}

/** The source of the rows: files, pasted text, or the Hub. */
export function DataStep({ draft, onChange }: StepProps): ReactNode {
  const [pasted, setPasted] = useState('');
  return (
    <fieldset className={boxes.group}>
      <legend>Rows</legend>
      <p className="quiet">
        Drop a file anywhere on the page, choose one, paste text, or name a dataset of the Hub. Each row has a
        question and an answer, in columns of their own or in messages, with choices or a text beside it. The
        page reads JSONL, JSON, parquet, and tables with a header row (CSV, tabs, semicolons). Nothing leaves
        this browser.
      </p>
      <div className={boxes.cards}>
        <Textarea
          label="Paste rows"
          placeholder={'question,answer\nCapital of Norway?,Oslo'}
          value={pasted}
          minRows={3}
          maxRows={8}
          autosize
          classNames={{ input: 'mono' }}
          onChange={(event) => {
            const text = event.currentTarget.value;
            setPasted(text);
            if (text.trim() !== '') onChange((now) => withText(now, text));
          }}
          data-testid="own-paste"
        />
        <div className="stack">
          <FileButton
            multiple
            accept=".jsonl,.ndjson,.json,.csv,.tsv,.txt,.parquet"
            inputName="File of rows"
            inputTestId="own-file"
            onFiles={(files) => void withFiles(files).then(onChange)}
          >
            Choose a file of rows…
          </FileButton>
          <RowsFromHub onChange={onChange} />
          <ColumnChoice draft={draft} onChange={onChange} />
        </div>
      </div>
      <WhatWasRead draft={draft} />
      {draft.rows.length > 0 && (
        <div style={{ overflowX: 'auto' }}>
          <table className={tables.table}>
            <caption>The first rows</caption>
            <Heads names={['Question', 'Answer']} />
            <tbody>
              {draft.rows.slice(0, ROWS_SHOWN).map(({ question, answer, system, earlier = [] }, index) => (
                <tr key={index}>
                  <td className={own.lines}>
                    {system !== undefined && <p className="quiet">system: {system.slice(0, 120)}</p>}
                    {earlier.map(({ role, content }, turn) => (
                      <p key={turn} className="quiet">
                        {role}: {content.slice(0, 120)}
                      </p>
                    ))}
                    {question.slice(0, 600)}
                  </td>
                  <td className={own.lines}>{answer.slice(0, 120)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </fieldset>
  );
}
