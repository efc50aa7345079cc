/**
 * The page's first tree, which React draws in slices while the engine starts. A store that changes meanwhile has the whole of it drawn again,
 * in one piece: what changes stores then waits for `treeDrawn`.
 */
let sayDrawn = (): void => undefined;

export const treeDrawn = new Promise<void>((resolve) => {
  sayDrawn = resolve;
});

/** Called when it stands on the page. */
export function treeIsDrawn(): void {
  sayDrawn();
}
