/** What goes wrong in a generator. */
export interface Fault {
  readonly how: 'throws' | 'closes' | 'hangs' | 'drops';
  /** The message that it is about: one that it sends, or takes. */
  readonly at: 'progress' | 'group' | 'weights';
}
