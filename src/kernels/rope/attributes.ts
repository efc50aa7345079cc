export interface RopeAttributes {
  /** Turns by the negative angle. */
  readonly inverse: boolean;
}
