/** The words of docs/glossary.md. */
import page from '../../../../docs/glossary.md?raw';

const ROW = /^\| ([^|]+?) *\| (.+?) *\|$/;

const MEANINGS: ReadonlyMap<string, string> = new Map(
  page.split('\n').flatMap((line) => {
    const [, word, meaning] = ROW.exec(line) ?? [];
    return word === undefined || meaning === undefined ? [] : [[word, meaning] as const];
  }),
);

/** The glossary's sentence on a word, without marks and with the text of its links; null for an unknown word. */
export function meaningOf(word: string): string | null {
  return (
    MEANINGS.get(word)
      ?.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
      .replaceAll('`', '') ?? null
  );
}

/** The words that a first visit meets. */
export const FIRST_WORDS = [
  'Reward',
  'Advantage',
  'Accuracy',
  'Format',
  'KL divergence',
  'Off-policy',
  'Loss',
  'Entropy',
  'Rollout',
  'Collapse',
];
