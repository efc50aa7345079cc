/** System, light, dark in turn. */
export const NEXT_SCHEME = { auto: 'light', light: 'dark', dark: 'auto' } as const;
export const SCHEME_NAMES = { auto: 'as the system', light: 'light', dark: 'dark' } as const;
