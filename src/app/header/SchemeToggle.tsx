import { ActionIcon, useMantineColorScheme } from '@mantine/core';
import type { ReactNode } from 'react';
import { AutoIcon, MoonIcon, SunIcon } from '../icons.tsx';

const NEXT = { auto: 'light', light: 'dark', dark: 'auto' } as const;
const ICONS = { auto: <AutoIcon />, light: <SunIcon />, dark: <MoonIcon /> };
const NAMES = { auto: 'as the system', light: 'light', dark: 'dark' } as const;

/** System, light, dark in turn. */
export function SchemeToggle(): ReactNode {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const label = `Colours: ${NAMES[colorScheme]}. Switch to: ${NAMES[NEXT[colorScheme]]}.`;
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(NEXT[colorScheme])}
    >
      {ICONS[colorScheme]}
    </ActionIcon>
  );
}
