import { Checkbox, NumberInput, Textarea, TextInput } from '@mantine/core';
import { Suspense, type ReactNode } from 'react';
import {
  GRADER_DEFAULTS,
  SYSTEM_PROMPTS,
  type GraderKind,
  type GraderSettings,
  GRADER_WORDS,
} from '@rl-playground/tasks/parts';
import { Choice } from '../../ui/parts/Choice.tsx';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { PROGRAM_TEMPLATE } from './draft.ts';
import boxes from '../../ui/style/boxes.module.css';

const CodeEditor = lazyPart(async () => (await import('./CodeEditor.tsx')).CodeEditor);

const LABELS = Object.fromEntries(
  Object.entries(GRADER_WORDS).map(([kind, { label }]) => [kind, label]),
) as Record<GraderKind, string>;

function startOf(kind: GraderKind): GraderSettings {
  return kind === 'code' ? { ...GRADER_DEFAULTS.code, source: PROGRAM_TEMPLATE } : GRADER_DEFAULTS[kind];
}

interface Option {
  readonly label: string;
  readonly description?: string;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
}

/** The options of all graders by their names. A grader's settings say which of them it has. */
const OPTIONS: Readonly<Record<string, Option>> = {
  pattern: {
    label: 'Pattern',
    description:
      'The first group of the first match is the answer, or the match if the pattern has no group. Without a pattern, each row’s answer is a pattern that must be found. The syntax is RE2’s, without look-around and back references.',
  },
  form: {
    label: 'Example of a right answer',
    description: '{answer} is replaced by the row’s answer. The result is shown as the worked answer.',
  },
  absolute: { label: 'Absolute tolerance', min: 0 },
  relative: {
    label: 'Relative tolerance',
    description: '0.01 is one percent of the answer',
    min: 0,
    step: 0.01,
  },
  percent: { label: 'Read 50% as 0.5 (otherwise the sign is ignored)' },
  choices: { label: 'Choices', description: 'The letters from A on', min: 2, max: 26 },
  leaveOutFailures: {
    label: 'Leave an answer out of its group where the program fails (otherwise it earns 0)',
  },
  ignoreCase: { label: 'Ignore upper and lower case' },
  ignoreSpace: { label: 'Ignore spaces at the ends, and read several spaces as one' },
};

interface OptionsProps {
  readonly settings: GraderSettings;
  readonly onChange: (settings: GraderSettings) => void;
}

function Options({ settings, onChange }: OptionsProps): ReactNode {
  const present: ReadonlyMap<string, unknown> = new Map(Object.entries(settings));
  return Object.entries(OPTIONS).map(([name, { label, description, ...limits }]) => {
    const value = present.get(name);
    const set = (changed: unknown): void => onChange({ ...settings, [name]: changed });
    if (typeof value === 'boolean')
      return (
        <Checkbox
          key={name}
          label={label}
          checked={value}
          onChange={(event) => set(event.currentTarget.checked)}
        />
      );
    if (typeof value === 'number')
      return (
        <NumberInput
          key={name}
          label={label}
          description={description}
          {...limits}
          value={value}
          onChange={(typed) => set(typeof typed === 'number' ? typed : (limits.min ?? 0))}
        />
      );
    return typeof value === 'string' ? (
      <TextInput
        key={name}
        label={label}
        description={description}
        value={value}
        maxLength={1000}
        classNames={{ input: 'mono' }}
        onChange={(event) => set(event.currentTarget.value)}
      />
    ) : null;
  });
}

interface ProgramProps {
  readonly source: string;
  readonly onChange: (source: string) => void;
}

function Program({ source, onChange }: ProgramProps): ReactNode {
  return (
    <div className="stack">
      <span className="mono">score(problem, completion)</span>
      <p className="quiet">
        A program in TypeScript or JavaScript returns a number, or an object with reward or parts, and
        correct, format, extracted and reason if you like. It runs in an interpreter of its own, without
        access to the network, the page or storage. Each answer may take 10 million operations and 32 MB.
        Random numbers and the clock are fixed.
      </p>
      <Suspense fallback={<p className="quiet">Loading the editor…</p>}>
        <CodeEditor label="Program with the function score" start={source} onChange={onChange} />
      </Suspense>
    </div>
  );
}

interface GraderStepProps {
  readonly settings: GraderSettings;
  readonly system: string;
  readonly onChange: (change: { readonly grader: GraderSettings; readonly system: string }) => void;
}

/** The grader of the answers, and the system prompt. */
export function GraderStep({ settings, system, onChange }: GraderStepProps): ReactNode {
  return (
    <fieldset className={boxes.group}>
      <legend>Grading</legend>
      <Choice
        label="Grader"
        description={GRADER_WORDS[settings.kind].help}
        words={LABELS}
        value={settings.kind}
        onChoose={(kind) => {
          const untouched = system === SYSTEM_PROMPTS[settings.kind];
          onChange({ grader: startOf(kind), system: untouched ? SYSTEM_PROMPTS[kind] : system });
        }}
      />
      {settings.kind === 'code' && (
        <Program
          source={settings.source}
          onChange={(source) => onChange({ grader: { ...settings, source }, system })}
        />
      )}
      <Options settings={settings} onChange={(grader) => onChange({ grader, system })} />
      <Textarea
        label="System prompt"
        description="The model reads this before each question. The bundled starter models read no English and get only the question."
        value={system}
        autosize
        minRows={2}
        maxRows={6}
        onChange={(event) => onChange({ grader: settings, system: event.currentTarget.value })}
      />
    </fieldset>
  );
}
