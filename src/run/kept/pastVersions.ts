/** The weights of past steps that a long run keeps: all would take 550 MB after 900 steps of the smallest model. */

/** So many of the newest versions stay, and at most as many of those before them, evenly spaced. */
const EACH = 50;

/** The versions that stay: the newest, those that were evaluated, and every n-th, where n is a power of two and grows with the run. */
export function versionsThatStay(versions: readonly number[], evaluated: ReadonlySet<number>): number[] {
  const newest = Math.max(...versions);
  const every = 2 ** Math.max(0, Math.ceil(Math.log2(newest / EACH)));
  return versions.filter(
    (version) => version > newest - EACH || evaluated.has(version) || version % every === 0,
  );
}
