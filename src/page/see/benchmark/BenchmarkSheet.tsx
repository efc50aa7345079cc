/** “Benchmark this machine”: measures it, and shows the result beside the one of a link. */
import { Modal, Progress } from '@mantine/core';
import { useHash } from '@mantine/hooks';
import { useState, type ReactNode } from 'react';
import { ANSWER_TOKENS, BUSY, ROWS, type BenchmarkResult } from '@rl-playground/run/benchmark';
import { canStart, isBusy } from '../../run/state/phases.ts';
import { useRun } from '../../run/state/runStore.ts';
import { useLoaded } from '../../ui/draw/useLoaded.ts';
import { openHelp } from '../../ui/open/openStore.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { Columns, Problem } from '../../ui/parts/words.tsx';
import tables from '../../ui/style/table.module.css';
import { addressOf, forgetLinked, keptResult, linkedResult } from './benchmarkLinks.ts';
import { benchmarkMarkdown, benchmarkRows } from './benchmarkTable.ts';
import { useBenchmark } from './useBenchmark.ts';

const DEVICES = `${import.meta.env.SOURCE_ADDRESS}/blob/main/docs/devices.md`;

interface Column {
  readonly title: string;
  readonly result: BenchmarkResult;
}

function ResultTable({ columns }: { readonly columns: readonly Column[] }): ReactNode {
  const rows = benchmarkRows(columns.map(({ result }) => result));
  return (
    <table className={`${tables.table} ${tables.stacked}`} data-testid="benchmark-table">
      <caption>Medians, with the least and the most of up to seven repeats.</caption>
      <Columns names={['Measure', ...columns.map(({ title }) => title)]} />
      <tbody>
        {rows.map(({ label, values }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            {columns.map(({ title }, i) => (
              <td key={title} data-label={title}>
                {values[i]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Copies of a result, and what became of the last one. Where the clipboard refuses, the text is shown to be copied by hand. */
function Copies({ title, result }: Column): ReactNode {
  const [said, setSaid] = useState('');
  const [byHand, setByHand] = useState<string | null>(null);
  const copy = async (make: (address: string) => string, done: string): Promise<void> => {
    const text = make(await addressOf(result));
    try {
      await navigator.clipboard.writeText(text);
      setSaid(done);
      setByHand(null);
    } catch {
      setSaid('The browser does not let the page copy. Copy this text:');
      setByHand(text);
    }
  };
  return (
    <>
      <div className="row" role="group" aria-label={title}>
        <span>{title}:</span>
        <ActionButton
          data-testid="benchmark-link"
          onClick={() => void copy((address) => address, 'Copied. The link holds the whole result.')}
        >
          Copy link
        </ActionButton>
        <ActionButton
          data-testid="benchmark-markdown"
          onClick={() =>
            void copy((address) => benchmarkMarkdown(result, address), 'Copied as a table in Markdown.')
          }
        >
          Copy as Markdown
        </ActionButton>
      </div>
      <span role="status" className="quiet">
        {said}
      </span>
      {byHand !== null && <textarea readOnly rows={4} value={byHand} aria-label="Text to copy" />}
    </>
  );
}

/** The button that measures or cancels, with the progress or the reason why it can't be pressed. */
function Measure({
  benchmark: { measuring, cancelled, problem, measure, cancel },
  again,
}: {
  readonly benchmark: ReturnType<typeof useBenchmark>;
  readonly again: boolean;
}): ReactNode {
  const snapshot = useRun((state) => state.snapshot);
  const refused = isBusy(snapshot.phase) ? BUSY : canStart(snapshot) ? null : 'The engine is not ready yet.';
  const label = again ? 'Measure again' : 'Benchmark this machine';
  return (
    <>
      <div className="row">
        <ActionButton
          usable={measuring !== null || refused === null}
          variant={measuring === null && !again ? 'filled' : 'default'}
          data-testid="benchmark-button"
          onClick={() => (measuring === null ? void measure() : cancel())}
        >
          {measuring === null ? label : 'Cancel'}
        </ActionButton>
        <span role="status" className="quiet" data-testid="benchmark-status">
          {measuring === null
            ? (refused ?? (cancelled && 'Cancelled.'))
            : `${measuring.label}, part ${measuring.done + 1} of ${measuring.total}…`}
        </span>
      </div>
      {measuring !== null && (
        <Progress
          style={{ alignSelf: 'stretch' }}
          value={(100 * measuring.done) / measuring.total}
          aria-label="Benchmark"
        />
      )}
      {/* What keeps the button from being pressed is said beside it. */}
      <Problem text={problem === refused ? null : problem} testId="benchmark-problem" />
    </>
  );
}

function close(): void {
  forgetLinked();
  openHelp(null);
}

export function BenchmarkSheet(): ReactNode {
  const benchmark = useBenchmark();
  // Another link may be put into the address meanwhile.
  const [hash] = useHash({ getInitialValueInEffect: false });
  const linked = useLoaded(linkedResult, hash);
  const kept = useLoaded(keptResult);
  const own = benchmark.result ?? kept.value;
  const columns = [
    ...(own === null ? [] : [{ title: 'This machine', result: own }]),
    // Behind a broken link stays the value of the one before.
    ...(linked.value === null || linked.problem !== null
      ? []
      : [{ title: 'From the link', result: linked.value }]),
  ];
  return (
    <Modal
      opened
      onClose={close}
      title="Benchmark this machine"
      size="lg"
      closeButtonProps={{ 'aria-label': 'Close the benchmark' }}
      transitionProps={{ duration: 0 }}
    >
      <div className="stack wide" data-testid="benchmark-sheet">
        <p>
          Copies, a matrix product, and the model of the first run: {ROWS} answers of {ANSWER_TOKENS} tokens
          side by side, one alone, and an update on {ROWS}. It takes less than a minute.
        </p>
        <p className="quiet">
          The page sends nothing: the result stays in this browser, where it also tells how long steps of a
          small model take. Its link carries it to whom you give it.
        </p>
        <Problem text={linked.problem} testId="benchmark-link-problem" />
        <Measure benchmark={benchmark} again={own !== null} />
        {columns.length > 0 && <ResultTable columns={columns} />}
        {columns.map((column) => (
          <Copies key={`${column.title} ${JSON.stringify(column.result)}`} {...column} />
        ))}
        <a className="link" href={DEVICES} target="_blank" rel="noreferrer">
          Devices of others
        </a>
      </div>
    </Modal>
  );
}
