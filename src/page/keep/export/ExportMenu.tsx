import { Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { bytesText } from '@rl-playground/base/text';
import { DownloadIcon } from '../../ui/parts/icons.tsx';
import { ActionButton } from '../../ui/parts/buttons.tsx';
import { useRun } from '../../run/state/runStore.ts';
import { exportWays } from './ways.ts';

/** The items, which follow the run only while the menu is open. */
function Ways(): ReactNode {
  const snapshot = useRun((state) => state.snapshot);
  const model = useRun(({ controller }) => controller?.start.parts?.model ?? null);
  return exportWays(snapshot, model).map((way) => (
    <Menu.Item key={way.testId} data-testid={way.testId} disabled={!way.usable} onClick={way.act}>
      {way.name}
      <br />
      <span className="quiet">
        {way.bytes === undefined ? way.what : `${way.what} About ${bytesText(way.bytes)}.`}
      </span>
    </Menu.Item>
  ));
}

/** The menu of all ways to save a run and its model. */
export function ExportMenu({ usable }: { readonly usable: boolean }): ReactNode {
  return (
    <Menu
      position="bottom-end"
      shadow="md"
      width={300}
      disabled={!usable}
      // As high as there is room, and there to stay where the page is scrolled to an item of it.
      middlewares={{ flip: true, shift: true, size: true }}
      hideDetached={false}
      // The Tab key reaches what scrolls, too.
      menuItemTabIndex={0}
    >
      <Menu.Target>
        <ActionButton leftSection={<DownloadIcon />} data-testid="export-menu" usable={usable}>
          Export
        </ActionButton>
      </Menu.Target>
      <Menu.Dropdown style={{ overflowY: 'auto' }}>
        <Ways />
      </Menu.Dropdown>
    </Menu>
  );
}
