/** A field that does what is typed: actions, places of the page, settings. */
import { Combobox, Modal, TextInput, useCombobox, useMantineColorScheme } from '@mantine/core';
import { useId, useMemo, useRef, useState, type ReactNode } from 'react';
import { NEXT_SCHEME, SCHEME_NAMES } from '../../ui/style/theme.ts';
import { openHelp } from '../../ui/open/openStore.ts';
import classes from './help.module.css';

export interface Command {
  readonly id: string;
  readonly label: string;
  /** What kind it is, or more of what it does. */
  readonly where: string;
  readonly act: () => void;
  /** Whether a browser allows it only in the midst of a press, or some seconds behind one: a dialog for files, the clipboard, a question. */
  readonly atPress?: true;
}

/** Those with every word of `query` in their label or kind. */
function matching(commands: readonly Command[], query: string): readonly Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ label, where }) => {
    const text = `${label} ${where}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The dialog would do so a moment later, and who types fast would type into the page. */
const takeFocus = (field: HTMLInputElement | null): void => field?.focus({ preventScroll: true });

/** What changes the page's colours, and what they would be. */
export interface SchemeChange {
  readonly next: string;
  readonly change: () => void;
}

interface CommandPaletteProps {
  /** What can be done as the page stands. */
  readonly commandsNow: (scheme: SchemeChange) => readonly Command[];
}

export function CommandPalette({ commandsNow }: CommandPaletteProps): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [query, setQuery] = useState('');
  const list = useCombobox({ opened: true });
  const listId = useId();
  const next = NEXT_SCHEME[colorScheme];
  const commands = useMemo(
    () => commandsNow({ next: SCHEME_NAMES[next], change: () => setColorScheme(next) }),
    [commandsNow, next, setColorScheme],
  );
  const found = matching(commands, query);
  const isRun = useRef(false);
  const run = (id: string): void => {
    if (isRun.current) return;
    isRun.current = true;
    const command = commands.find((each) => each.id === id);
    openHelp(null);
    if (command?.atPress) command.act();
    // Behind the dialog, which gives the focus back to where it was.
    else if (command !== undefined) setTimeout(command.act);
  };
  return (
    <Modal
      opened
      onClose={() => openHelp(null)}
      title="Commands"
      closeButtonProps={{ 'aria-label': 'Close commands' }}
      transitionProps={{ duration: 0 }}
      data-testid="commands"
    >
      <Combobox store={list} onOptionSubmit={run} withinPortal={false}>
        <Combobox.EventsTarget withExpandedAttribute aria-controls={listId} aria-expanded>
          <TextInput
            ref={takeFocus}
            aria-label="Command, place or setting"
            placeholder="What do you want to do?"
            data-autofocus
            data-testid="command-field"
            value={query}
            onKeyDown={(event) => {
              if (event.key === 'Escape') openHelp(null);
              if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
              // Who types fast is ahead of the list, which is drawn and marks its first option later.
              const command = matching(commands, event.currentTarget.value)[
                Math.max(0, list.getSelectedOptionIndex())
              ];
              if (command !== undefined) run(command.id);
            }}
            onChange={(event) => {
              setQuery(event.currentTarget.value);
              list.resetSelectedOption();
              setTimeout(() => list.selectFirstOption());
            }}
          />
        </Combobox.EventsTarget>
        <Combobox.Options id={listId} aria-label="Commands" className={classes.commands}>
          {found.map(({ id, label, where }) => (
            <Combobox.Option key={id} value={id}>
              {label}
              <span className={classes.where}>{where}</span>
            </Combobox.Option>
          ))}
          {found.length === 0 && <Combobox.Empty>Nothing here is called so.</Combobox.Empty>}
        </Combobox.Options>
      </Combobox>
    </Modal>
  );
}
