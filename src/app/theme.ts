import { createTheme } from '@mantine/core';

/** The look that Mantine's components share with app.css, which holds the page's own colours and distances. */
export const theme = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 4 },
  colors: {
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
    go: [
      '#e8f8f0',
      '#cfeedd',
      '#9edcbc',
      '#6bc99a',
      '#43b97e',
      '#2aa86b',
      '#178a54',
      '#0f7a49',
      '#0a633b',
      '#054a2b',
    ],
  },
  fontFamily:
    "Inter, 'Segoe UI Variable Text', 'Segoe UI', system-ui, -apple-system, Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif",
  fontFamilyMonospace:
    "ui-monospace, 'SF Mono', 'Cascadia Mono', 'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  defaultRadius: 'sm',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
});
