/** Words of the glossary, which stand once, in docs/glossary.md. */
import page from '../../../../docs/glossary.md?raw';

const ROW = /^\| ([^|]+?) *\| (.+?) *\|$/;

/** By the word; what a word says of files and other pages is left as it is written. */
const MEANINGS: ReadonlyMap<string, string> = new Map(
  page.split('\n').flatMap((line) => {
    const [, word, meaning] = ROW.exec(line) ?? [];
    return word === undefined || meaning === undefined ? [] : [[word, meaning] as const];
  }),
);

/** What the glossary says of a word; null where it has none. Links are their text. */
export function meaningOf(word: string): string | null {
  return (
    MEANINGS.get(word)
      ?.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
      .replaceAll('`', '') ?? null
  );
}
