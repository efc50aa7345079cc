export interface RmsNormAttributes {
  readonly epsilon: number;
}
