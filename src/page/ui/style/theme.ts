import { colorsTuple, createTheme, defaultVariantColorsResolver } from '@mantine/core';

const PRIMARY = 'ink';
const COMPACT = { defaultProps: { size: 'xs' } };
/** Names, addresses and numbers are typed here, which a browser should neither complete nor correct. */
const TYPED = { defaultProps: { size: 'xs', autoComplete: 'off', spellCheck: false } };

/** The look that Mantine's components share with app.css, which holds the page's own colours and distances. */
export const theme = createTheme({
  primaryColor: PRIMARY,
  primaryShade: { light: 7, dark: 4 },
  // White on the dark scheme's shade can't be read.
  variantColorResolver: (input) =>
    defaultVariantColorsResolver(
      input.variant === 'filled' && (input.color ?? PRIMARY) === PRIMARY
        ? { ...input, color: `${PRIMARY}.7` }
        : input,
    ),
  colors: {
    dark: [
      '#e6edf3',
      '#b4c0cb',
      '#97a5b2',
      '#6d7f8f',
      '#334252',
      '#2a3948',
      '#1b2530',
      '#0e141b',
      '#0b1016',
      '#080c11',
    ],
    ink: [
      '#eaf4fa',
      '#d5e6ef',
      '#a9cde0',
      '#7cb4d1',
      '#5aa0c5',
      '#3f8db6',
      '#2a78a1',
      '#1a6085',
      '#14506e',
      '#0c3c55',
    ],
    go: colorsTuple('#0f7a49'),
  },
  // Both are in app.css, for the head of the page is painted before any script runs.
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  defaultRadius: 'sm',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    // The cross of a message is 20 pixels wide otherwise.
    Alert: { styles: { closeButton: { minWidth: 28, minHeight: 28 } } },
    Button: { defaultProps: { size: 'xs', variant: 'default' }, styles: { root: { minHeight: 24 } } },
    Checkbox: COMPACT,
    // The place that is focused first would be a child that a menu may not have.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // The page has a header of its own; two are not told apart.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    MultiSelect: COMPACT,
    NativeSelect: COMPACT,
    // Its arrows are 17 x 14 pixels, and the keyboard has the same.
    NumberInput: { defaultProps: { size: 'xs', hideControls: true } },
    // Its eye is 22 pixels wide otherwise.
    PasswordInput: { ...TYPED, styles: { visibilityToggle: { minWidth: 24, minHeight: 24 } } },
    SegmentedControl: COMPACT,
    Select: COMPACT,
    Switch: COMPACT,
    Textarea: COMPACT,
    TextInput: TYPED,
  },
});

/** The colour schemes in turn. */
export const NEXT_SCHEME = { auto: 'light', light: 'dark', dark: 'auto' } as const;
export const SCHEME_NAMES = { auto: 'as the system', light: 'light', dark: 'dark' } as const;
