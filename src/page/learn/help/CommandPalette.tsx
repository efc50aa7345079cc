/** A dialog that finds actions, places and settings by typing. */
import { Combobox, Modal, TextInput, useCombobox } from '@mantine/core';
import { useId, useRef, useState, type ReactNode } from 'react';
import { hasWords } from '../../ui/text/search.ts';
import { openHelp } from '../../ui/open/openStore.ts';
import classes from './help.module.css';

export interface Command {
  readonly id: string;
  readonly label: string;
  /** The kind of command, or a few more words on it. */
  readonly where: string;
  readonly act: () => void;
  /** Browsers open file dialogs, the clipboard and questions only during a press, or a few seconds after it. */
  readonly atPress?: true;
}

/** The commands that have every word of `query` in their label or kind. */
const matching = (commands: readonly Command[], query: string): readonly Command[] =>
  commands.filter(({ label, where }) => hasWords(`${label} ${where}`, query));

/** The dialog takes the focus a moment later, and fast typing would go to the page until then. */
const takeFocus = (field: HTMLInputElement | null): void => field?.focus({ preventScroll: true });

interface CommandPaletteProps {
  readonly commands: readonly Command[];
}

export function CommandPalette({ commands }: CommandPaletteProps): ReactNode {
  const [query, setQuery] = useState('');
  const list = useCombobox({ opened: true });
  const listId = useId();
  const found = matching(commands, query);
  const isRun = useRef(false);
  const run = (id: string): void => {
    if (isRun.current) return;
    isRun.current = true;
    const command = commands.find((each) => each.id === id);
    openHelp(null);
    if (command?.atPress) command.act();
    // The dialog first gives the focus back to where it was.
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
              // Fast typing is ahead of the list, which marks its first option later.
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
              {label} <span className="quiet">{where}</span>
            </Combobox.Option>
          ))}
          {found.length === 0 && <Combobox.Empty>No command has this name.</Combobox.Empty>}
        </Combobox.Options>
      </Combobox>
    </Modal>
  );
}
