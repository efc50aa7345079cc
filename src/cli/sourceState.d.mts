export declare function stateOf(root: string, names: readonly string[]): string;
