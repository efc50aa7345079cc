/** A failure of a generator. */
export interface Fault {
  readonly how: 'throws' | 'closes' | 'hangs' | 'drops';
  /** The kind of message at which it happens: one that the generator sends or takes. */
  readonly at: 'progress' | 'group' | 'weights';
}
