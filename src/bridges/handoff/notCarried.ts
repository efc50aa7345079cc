/** Writes `not_carried.md`, which says how the other trainer treats every setting of the run. */
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

/** Facts besides the settings that a person must know before the run continues. */
export interface HandoffNotes {
  readonly notes: readonly string[];
}

export function notCarried(
  system: HandoffSystem,
  fates: Fates,
  run: HandoffRun,
  { notes }: HandoffNotes,
): string {
  const { title, version, date } = SYSTEM_NOTES[system];
  const of = (kind: FateKind): Fates => fates.filter(([, fate]) => fate.kind === kind);
  const named = (kind: FateKind): string =>
    of(kind)
      .map(([key]) => `\`${snakeName(key)}\``)
      .join(', ') || 'none';
  const rows = (kind: FateKind): string[][] =>
    of(kind).map(([key, fate]) => [`\`${snakeName(key)}\``, valueText(key, run), fate.why, fieldText(fate)]);
  const section = (head: string, kind: FateKind, empty: string): string[] =>
    of(kind).length === 0
      ? [`## ${head}`, '', empty, '']
      : [`## ${head}`, '', ...table(['Setting', 'Here', 'There', 'Written'], rows(kind)), ''];
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
      of('same').map(([key, fate]) => [`\`${snakeName(key)}\``, valueText(key, run), fieldText(fate)]),
    ),
    '',
    `Without effect under the run’s other settings: ${named('idle')}.`,
    '',
    ...table(
      ['Only how this program computes', 'Here', 'Why'],
      of('here').map(([key, fate]) => [`\`${snakeName(key)}\``, valueText(key, run), fate.why]),
    ),
    '',
  ].join('\n');
}
