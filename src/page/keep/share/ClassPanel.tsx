/** For teachers: a link to the page as the form has it, with less on it, and runs that are handed in. */
import { Checkbox, NativeSelect } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { FIELD_KEYS, type FieldKey, type RunConfig } from '@rl-playground/run/settings';
import { changedKeys } from '../../run/form/settings.ts';
import { isLessonId, LESSON_TITLES, PAGE_PARTS, type PagePart } from '../../run/address/classroom.ts';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { QrCode } from '../../ui/parts/QrCode.tsx';
import { useForm } from '../../run/form/formStore.ts';
import { HandIn } from './HandIn.tsx';
import { linkTo, SAVE_TASKS, type RunLink } from './links.ts';
import classes from './share.module.css';

const LOCKS = {
  none: 'Every setting may be changed',
  changed: 'The settings that I have changed stay as they are',
  all: 'All settings stay as they are',
} as const;
type LockChoice = keyof typeof LOCKS;

const isLockChoice = (text: string): text is LockChoice => Object.hasOwn(LOCKS, text);

function lockedOf(choice: LockChoice, form: RunConfig): ReadonlySet<FieldKey> {
  if (choice === 'none') return new Set();
  return new Set(choice === 'all' ? FIELD_KEYS : changedKeys(form));
}

function ClassLink(): ReactNode {
  const form = useForm((state) => state.form);
  const [lock, setLock] = useState<LockChoice>('none');
  const [hidden, setHidden] = useState<readonly PagePart[]>([]);
  const [lesson, setLesson] = useState('');
  const [link, setLink] = useState<RunLink | null>(null);
  const [said, setSaid] = useState('');
  useEffect(() => {
    let gone = false;
    const opened = isLessonId(lesson) ? { lesson } : {};
    void linkTo(form, { locked: lockedOf(lock, form), hidden: new Set(hidden), ...opened }).then((made) => {
      if (gone) return;
      setLink(made);
      setSaid('');
    });
    return () => {
      gone = true;
    };
  }, [form, lock, hidden, lesson]);
  return (
    <div className={classes.panel} role="group" aria-label="A link for a class">
      <h3 className={classes.heading}>A link for a class</h3>
      <p className="quiet">It opens this page with the current settings.</p>
      <NativeSelect
        label="Settings"
        value={lock}
        data={Object.entries(LOCKS).map(([value, label]) => ({ value, label }))}
        onChange={({ currentTarget: { value } }) => isLockChoice(value) && setLock(value)}
      />
      <NativeSelect
        label="Opens with the lesson"
        value={lesson}
        data={[
          { value: '', label: 'None' },
          ...Object.entries(LESSON_TITLES).map(([value, label]) => ({ value, label })),
        ]}
        onChange={({ currentTarget: { value } }) => setLesson(value)}
      />
      <Checkbox.Group
        size="xs"
        label="Leave out of the page"
        value={[...hidden]}
        onChange={(values) =>
          setHidden((Object.keys(PAGE_PARTS) as PagePart[]).filter((part) => values.includes(part)))
        }
      >
        <div className={classes.parts}>
          {Object.entries(PAGE_PARTS).map(([part, label]) => (
            <Checkbox key={part} value={part} label={label} />
          ))}
        </div>
      </Checkbox.Group>
      {link !== null && (
        <div className={classes.link}>
          <QrCode text={link.address} className={classes.code} />
          <div className={classes.words}>
            {link.lacks !== null && (
              <>
                <p role="alert">{link.lacks.text}</p>
                <ActionButton usable onClick={link.lacks.save}>
                  {SAVE_TASKS}
                </ActionButton>
              </>
            )}
            <code className={classes.address} data-testid="class-link">
              {link.address}
            </code>
            <ActionButton
              usable
              onClick={() =>
                void navigator.clipboard.writeText(link.address).then(
                  () => setSaid(link.said),
                  () => setSaid('This browser does not let the page copy. Select the link and copy it.'),
                )
              }
            >
              Copy link for the class
            </ActionButton>
            <span role="status" className="quiet">
              {said}
            </span>
          </div>
        </div>
      )}
    </div>
  );
}

export function ClassPanel(): ReactNode {
  return (
    <div className={classes.sections}>
      <ClassLink />
      <HandIn />
    </div>
  );
}
