/** A field that does what is typed: actions, places of the page, settings. */
import { Combobox, Modal, TextInput, useCombobox, useMantineColorScheme } from '@mantine/core';
import { useId, useMemo, useState, type ReactNode } from 'react';
import { NEXT_SCHEME, SCHEME_NAMES } from '../header/schemes.ts';
import { commandsNow, matching } from './commands.ts';
import { openHelp } from './helpStore.ts';
import classes from './help.module.css';

export function CommandPalette(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [query, setQuery] = useState('');
  const list = useCombobox({ opened: true });
  const listId = useId();
  const next = NEXT_SCHEME[colorScheme];
  const commands = useMemo(
    () => commandsNow({ next: SCHEME_NAMES[next], change: () => setColorScheme(next) }),
    [next, setColorScheme],
  );
  const found = matching(commands, query);
  const run = (id: string): void => {
    const command = commands.find((each) => each.id === id);
    openHelp(null);
    // Behind the dialog, which gives the focus back to where it was.
    if (command !== undefined) setTimeout(command.act);
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
            aria-label="Command, place or setting"
            placeholder="What do you want to do?"
            data-autofocus
            data-testid="command-field"
            value={query}
            onKeyDown={(event) => {
              if (event.key === 'Escape') openHelp(null);
              const [first] = found;
              // Who types fast is ahead of the list, which marks its first option later.
              if (event.key === 'Enter' && list.getSelectedOptionIndex() < 0 && first) run(first.id);
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
