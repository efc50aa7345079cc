/** Tools for a class: a link to a reduced page with the form's settings, and the check of runs that are handed in. */
import { Checkbox, Textarea } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { FIELD_KEYS, type FieldKey, type RunConfig } from '@rl-playground/run/settings';
import { changedKeys } from '../../run/form/settings.ts';
import { LESSON_TITLES, LONGEST_NOTE, PAGE_PARTS, type PagePart } from '../../run/address/classroom.ts';
import { Choice } from '../../ui/parts/Choice.tsx';
import { QrCode } from '../../ui/parts/QrCode.tsx';
import { useForm } from '../../run/form/formStore.ts';
import { CheckHandIns } from './CheckHandIns.tsx';
import { HandIn } from './HandIn.tsx';
import { CopyLink, useLink } from './CopyLink.tsx';
import classes from './share.module.css';

const LOCKS = {
  none: 'Every setting may be changed',
  changed: 'The settings that I have changed are locked',
  all: 'All settings are locked',
} as const;
type LockChoice = keyof typeof LOCKS;

const LESSONS = { none: 'None', ...LESSON_TITLES } as const;

function lockedOf(choice: LockChoice, form: RunConfig): ReadonlySet<FieldKey> {
  if (choice === 'none') return new Set();
  return new Set(choice === 'all' ? FIELD_KEYS : changedKeys(form));
}

function ClassLink(): ReactNode {
  const form = useForm((state) => state.form);
  const [lock, setLock] = useState<LockChoice>('none');
  const [hidden, setHidden] = useState<readonly PagePart[]>([]);
  const [lesson, setLesson] = useState<keyof typeof LESSONS>('none');
  const [note, setNote] = useState('');
  const classroom = useMemo(
    () => ({
      locked: lockedOf(lock, form),
      hidden: new Set(hidden),
      ...(lesson === 'none' ? {} : { lesson }),
      ...(note.trim() === '' ? {} : { note: note.trim() }),
    }),
    [lock, form, hidden, lesson, note],
  );
  const link = useLink(form, classroom);
  return (
    <div
      className="stack wide"
      style={{ alignItems: 'flex-start' }}
      role="group"
      aria-label="A link for a class"
    >
      <h3 className="panel-title">A link for a class</h3>
      <p className="quiet">It opens this page with the current settings.</p>
      <Choice label="Settings" words={LOCKS} value={lock} onChoose={setLock} />
      <Choice label="Opens with the lesson" words={LESSONS} value={lesson} onChoose={setLesson} />
      <Textarea
        label="Your message to the class, above the lesson"
        description={`Plain text, ${LONGEST_NOTE} characters at most. Anyone who has the link can read it.`}
        style={{ alignSelf: 'stretch', maxWidth: 620 }}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={LONGEST_NOTE}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      <Checkbox.Group
        size="xs"
        label="Hide from the page"
        value={[...hidden]}
        onChange={(values) =>
          setHidden((Object.keys(PAGE_PARTS) as PagePart[]).filter((part) => values.includes(part)))
        }
      >
        <div className="row">
          {Object.entries(PAGE_PARTS).map(([part, label]) => (
            <Checkbox key={part} value={part} label={label} />
          ))}
        </div>
      </Checkbox.Group>
      {link !== null && (
        <div className="row">
          <QrCode text={link.address} />
          <div className={`stack ${classes.link}`}>
            {link.lacks !== null && <p role="alert">{link.lacks.text}</p>}
            <code data-testid="class-link">{link.address}</code>
            <div className="row">
              <CopyLink link={link} label="Copy link for the class" testId="copy-class-link" />
            </div>
          </div>
        </div>
      )}
    </div>
  );
}

export function ClassPanel(): ReactNode {
  return (
    <div className="stack wide">
      <ClassLink />
      <HandIn />
      <CheckHandIns />
    </div>
  );
}
