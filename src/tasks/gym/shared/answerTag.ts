/** The answer between tags, as reasoning-gym reads it (`utils.extract_answer`), and the form that asks for it. */
import { countOf, skipSpace, stripSpace } from '../../python/text.ts';

/**
 * The text of the last `<tag> … </tag>`, or null. A pair ends at the first closing tag behind its opening one. `strip` removes all
 * whitespace at both ends, otherwise one character goes. Linear in the length of the text.
 */
export function extractAnswer(text: string, tagName = 'answer', strip = true): string | null {
  const [open, close] = [`<${tagName}>`, `</${tagName}>`];
  let last: string | null = null;
  for (let from = 0; ;) {
    const start = text.indexOf(open, from);
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
    if (end < 0) break;
    last = text.slice(start + open.length, end);
    from = end + close.length;
  }
  if (last === null || strip) return last === null ? null : stripSpace(last);
  const trimmed = skipSpace(last, 0) > 0 ? last.slice(1) : last;
  return trimmed.length > 0 && skipSpace(trimmed.slice(-1), 0) > 0 ? trimmed.slice(0, -1) : trimmed;
}

/**
 * The error in a completion's form, or null. The form is one `<answer> … </answer>` with something in it and only whitespace behind it; an
 * optional `<think> … </think>` precedes it.
 */
export function formFault(text: string): string | null {
  const tags = ['<think>', '</think>', '<answer>', '</answer>'];
  const [thinks = 0, unthinks = 0, opens = 0, closes = 0] = tags.map((tag) => countOf(text, tag));
  if (opens === 0 && closes === 0) return 'no <answer> tags';
  if (opens !== 1 || closes !== 1)
    return opens > 1 || closes > 1 ? 'more than one <answer> tag' : 'an <answer> tag without its partner';
  if (thinks !== unthinks || thinks > 1) return 'not one whole <think>…</think>';
  const places = tags.map((tag) => text.indexOf(tag)).filter((place) => place >= 0);
  if (places.some((place, i) => i > 0 && place < (places[i - 1] ?? 0))) return 'tags in the wrong order';
  const end = text.indexOf('</answer>') + '</answer>'.length;
  if (skipSpace(text, end) !== text.length) return 'text after </answer>';
  return extractAnswer(text) === '' ? 'nothing between the tags' : null;
}

/** RL for Real's format reward: a quarter for each of four tags found anywhere, in any order. */
export function tagShare(text: string): number {
  return ['<think>', '</think>', '<answer>', '</answer>'].filter((tag) => text.includes(tag)).length / 4;
}

/** The same tags in any case, which Python folds more letters in than JavaScript: K to k and ſ to s with `u`, İ and ı to i by name. */
const TAGS_IN_ANY_CASE = [/<th[iİı]nk>/iu, /<\/th[iİı]nk>/iu, /<answer>/iu, /<\/answer>/iu];

/** RL for Real's format score, which its evaluations report: as `tagShare`, but in upper and lower case. */
export function formatScore(text: string): number {
  return TAGS_IN_ANY_CASE.filter((tag) => tag.test(text)).length / TAGS_IN_ANY_CASE.length;
}
