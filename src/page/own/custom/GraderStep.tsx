import { Checkbox, NativeSelect, NumberInput, Textarea, TextInput } from '@mantine/core';
import { Suspense, type ReactNode } from 'react';
import {
  GRADER_DEFAULTS,
  SYSTEM_PROMPTS,
  type GraderKind,
  type GraderSettings,
  GRADER_WORDS,
} from '@rl-playground/tasks/parts';
import { lazyPart } from '../../ui/draw/lazyPart.tsx';
import { PROGRAM_TEMPLATE } from './draft.ts';
import boxes from '../../ui/style/boxes.module.css';

const CodeEditor = lazyPart(async () => (await import('./CodeEditor.tsx')).CodeEditor);

const KINDS = Object.keys(GRADER_WORDS) as GraderKind[];

function startOf(kind: GraderKind): GraderSettings {
  return kind === 'code' ? { ...GRADER_DEFAULTS.code, source: PROGRAM_TEMPLATE } : GRADER_DEFAULTS[kind];
}

interface OptionsProps<Settings> {
  readonly settings: Settings;
  readonly onChange: (settings: Settings) => void;
}

function Compared<Settings extends { readonly ignoreCase: boolean; readonly ignoreSpace: boolean }>({
  settings,
  onChange,
}: OptionsProps<Settings>): ReactNode {
  return (
    <>
      <Checkbox
        label="Capitals and small letters are the same"
        checked={settings.ignoreCase}
        onChange={(event) => onChange({ ...settings, ignoreCase: event.currentTarget.checked })}
      />
      <Checkbox
        label="Ignore spaces at the ends, and read several spaces as one"
        checked={settings.ignoreSpace}
        onChange={(event) => onChange({ ...settings, ignoreSpace: event.currentTarget.checked })}
      />
    </>
  );
}

function WorkedForm<Settings extends { readonly form: string }>({
  settings,
  onChange,
  more = '',
}: OptionsProps<Settings> & { readonly more?: string }): ReactNode {
  return (
    <TextInput
      label="How a right completion looks"
      description={`{answer} stands for the row’s answer.${more}`}
      value={settings.form}
      classNames={{ input: 'mono' }}
      onChange={(event) => onChange({ ...settings, form: event.currentTarget.value })}
    />
  );
}

function numberOf(value: number | string, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

function Options({ settings, onChange }: OptionsProps<GraderSettings>): ReactNode {
  switch (settings.kind) {
    case 'exact':
    case 'answer_tag':
      return <Compared settings={settings} onChange={onChange} />;
    case 'boxed':
      return null;
    case 'number':
      return (
        <>
          <div className={boxes.cards}>
            <NumberInput
              label="Absolute tolerance"
              min={0}
              value={settings.absolute}
              onChange={(value) => onChange({ ...settings, absolute: numberOf(value, 0) })}
            />
            <NumberInput
              label="Relative tolerance"
              description="0.01 is one percent of the answer"
              min={0}
              step={0.01}
              value={settings.relative}
              onChange={(value) => onChange({ ...settings, relative: numberOf(value, 0) })}
            />
          </div>
          <Checkbox
            label="Read 50% as 0.5 (otherwise the sign is ignored)"
            checked={settings.percent}
            onChange={(event) => onChange({ ...settings, percent: event.currentTarget.checked })}
          />
        </>
      );
    case 'multiple_choice':
      return (
        <NumberInput
          label="Choices"
          description="The letters from A on"
          min={2}
          max={26}
          value={settings.choices}
          onChange={(value) => onChange({ ...settings, choices: numberOf(value, 4) })}
        />
      );
    case 'regex':
      return (
        <>
          <TextInput
            label="Pattern"
            description="The first group of its first match is the answer, or the match where there is no group. Left empty, each row’s answer is a pattern that must be found. RE2’s syntax: no look-around, no back references."
            value={settings.pattern}
            maxLength={1000}
            classNames={{ input: 'mono' }}
            onChange={(event) => onChange({ ...settings, pattern: event.currentTarget.value })}
          />
          <WorkedForm settings={settings} onChange={onChange} />
          <Compared settings={settings} onChange={onChange} />
        </>
      );
    case 'code':
      return (
        <>
          <div className="stack">
            <span className="mono">score(problem, completion)</span>
            <p className="quiet">
              TypeScript or JavaScript. Return a number, or an object with reward or parts, and correct,
              format, extracted and reason if you like. It runs in an interpreter of its own: no network, page
              or storage, 10 million steps and 32 MB for each answer, chance and clock fixed.
            </p>
            <Suspense fallback={<p className="quiet">Loading the editor…</p>}>
              <CodeEditor
                label="Program with the function score"
                start={settings.source}
                onChange={(source) => onChange({ ...settings, source })}
              />
            </Suspense>
          </div>
          <WorkedForm settings={settings} onChange={onChange} more=" Shown as the worked answer." />
        </>
      );
  }
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
      <NativeSelect
        label="Grader"
        description={GRADER_WORDS[settings.kind].help}
        value={settings.kind}
        data={KINDS.map((kind) => ({ value: kind, label: GRADER_WORDS[kind].label }))}
        onChange={(event) => {
          const kind = KINDS.find((each) => each === event.currentTarget.value) ?? 'answer_tag';
          const untouched = system === SYSTEM_PROMPTS[settings.kind];
          onChange({ grader: startOf(kind), system: untouched ? SYSTEM_PROMPTS[kind] : system });
        }}
      />
      <Options settings={settings} onChange={(grader) => onChange({ grader, system })} />
      <Textarea
        label="System prompt"
        description="What the model is told before each question. The bundled starter models, which read no English, are given the question alone."
        value={system}
        autosize
        minRows={2}
        maxRows={6}
        onChange={(event) => onChange({ grader: settings, system: event.currentTarget.value })}
      />
    </fieldset>
  );
}
