/** The trainers that a run can be handed over to. */

export const HANDOFF_SYSTEMS = ['trl', 'verl', 'prime-rl'] as const;
export type HandoffSystem = (typeof HANDOFF_SYSTEMS)[number];

/** The name of each, and the version against whose fields and code this was written. */
export const SYSTEM_NOTES: Readonly<
  Record<HandoffSystem, { readonly title: string; readonly version: string; readonly date: string }>
> = {
  trl: { title: 'TRL', version: '1.13.0 with transformers 5.18.0 and accelerate 1.15.0', date: '2026-11-23' },
  verl: { title: 'verl', version: '0.10.0.dev, commit 1dda039b9c63', date: '2026-08-22' },
  'prime-rl': {
    title: 'prime-rl',
    version: '0.8.0, commit 559b44772e47, with verifiers at a60a606ecc4d',
    date: '2026-08-21',
  },
};
