/** The text of `not_carried.md`, which says what becomes of every setting of the run in the other trainer. */
import { textOfValue, snakeName, type RunConfig } from '@rl-playground/run/settings';
import type { Fate, FateKind, Fates, HandoffRun } from './settings/fate.ts';
import { SYSTEM_NOTES, type HandoffSystem } from './systems.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function valueText(key: keyof RunConfig, { config }: HandoffRun): string {
  const text = textOfValue(config[key]);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

const fieldText = ({ fields }: Fate): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ');

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${heads.join(' | ')} |`,
  `|${heads.map(() => '---').join('|')}|`,
  ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
];

/** `notes` are for the person who goes on with the run. */
export function notCarried(
  system: HandoffSystem,
  fates: Fates,
  run: HandoffRun,
  notes: readonly string[],
): string {
  const { title, version, date } = SYSTEM_NOTES[system];
  const of = (kind: FateKind): Fates => fates.filter(([, fate]) => fate.kind === kind);
  const name = (key: keyof RunConfig): string => `\`${snakeName(key)}\``;
  const section = (head: string, kind: FateKind, empty: string): string[] => {
    const rows = of(kind).map(([key, fate]) => [name(key), valueText(key, run), fate.why, fieldText(fate)]);
    const body = rows.length === 0 ? [empty] : table(['Setting', 'Here', 'There', 'Written'], rows);
    return [`## ${head}`, '', ...body, ''];
  };
  const idle = of('idle').map(([key]) => name(key));
  return [
    `# From RL Playground to ${title}`,
    '',
    `Each of the ${fates.length} settings of the run, after ${run.step} of ${run.config.numSteps} steps. Checked against ${title} ${version} (${date}).`,
    '',
    ...section('Without counterpart', 'none', 'Nothing that the run does is lost.'),
    ...section('With another meaning', 'other', 'Nothing changes its meaning.'),
    '## Beside the settings',
    '',
    ...notes.map((note) => `- ${note}`),
    '',
    '## As they are',
    '',
    ...table(
      ['Setting', 'Here', 'Written'],
      of('same').map(([key, fate]) => [name(key), valueText(key, run), fieldText(fate)]),
    ),
    '',
    `Without effect under the run’s other settings: ${idle.join(', ') || 'none'}.`,
    '',
    ...table(
      ['Only how this program computes', 'Here', 'Why'],
      of('here').map(([key, fate]) => [name(key), valueText(key, run), fate.why]),
    ),
    '',
  ].join('\n');
}
