/**
 * Finds doc comments that are read only together with the name below them: "Of the finding, at least 1." or "Null where
 * the run has none." are no sentences, "The finding's number, at least 1." names the thing by itself.
 */

/** Prepositions that begin a comment: neither a sentence with its subject in front nor the name of a thing does. */
const PREPOSITION =
  /^(?:Of|In|For|With|Without|By|As|From|To|At|On|Into|Onto|After|Before|Behind|Beside|Between|Beyond|Above|Below|Over|Under|Within|Until|Since|Per|Through|During|Up to|Out of|Like|Than|And|Or|But|Nor|So that)\b/;
/** Conjunctions, which may begin a sentence that goes on with a clause of its own behind a comma. */
const CONJUNCTION = /^(?:Where|When|While|If|Unless|Because|Once|Though|Although)\b/;
const MAIN_CLAUSE =
  /,.*\b(?:is|are|was|were|has|have|had|do|does|did|can|may|must|will|would|could|should|not|\w{2,}s|\w{3,}ed|gave|gives)\b/;
const QUESTION = /^(?:What|Who|Whom|Whose|How|Which|Why|Whether)\b/;
/** Cases of a value that is not named: "Null where the model has none." For a flag, "True if" and "True for" are the usual forms. */
const CASE =
  /^(?:Null|Undefined|None|Empty|Zero|Absent)\b,? (?:where|when|if|while|for|until|unless|before|after)\b|^(?:True|False)\b (?:where|when)\b/;
/** Participles that have no subject: "Called once per step." "Frozen matrices" and "Set of names" have one. */
const PARTICIPLE =
  /^(?:Set|Given|Made|Thrown|Shown|Known|Kept|Written|Taken|Sent|Held|Told|Left|Lent|Drawn|Built|Chosen|Meant|Run|[A-Z][a-z]+ed)\b(?:[,;:.]| (?:by|in|when|where|while|with|without|to|from|as|at|once|twice|before|after|on|for|per|if|only|until|unless|again|and|or|so|behind|beside|between|through|under|like|anew|together|whole)\b)/;
const IDIOM =
  /\b(?:stand|stands|stood|standing)\b(?! for\b)|\bastray\b|\bat hand\b|(?:^|[,;:(] )of its\b(?! own)|\bit is at(?=[.,;:)]|$)/i;

/** Words that only introduce the sentence: "`packed`: as `pack` gives it." */
const INTRODUCED = /^(?:`[^`]+`|[a-z]\w*)(?:, `[^`]+`| and `[^`]+`)*: (?=[a-z])/;

export interface HangingComment {
  /** The line on which the comment begins, from 1. */
  readonly line: number;
  readonly sentence: string;
}

function hangs(sentence: string, isFirst: boolean): boolean {
  if (QUESTION.test(sentence)) return isFirst;
  if (CONJUNCTION.test(sentence)) return !MAIN_CLAUSE.test(sentence);
  // Behind a first sentence "In a worker it is shared." has what it needs before it.
  if (PREPOSITION.test(sentence)) return isFirst || /^(?:Of|So that)\b/.test(sentence);
  return CASE.test(sentence) || PARTICIPLE.test(sentence);
}

/** The sentence that hangs or has a word of our own, or null if the comment reads by itself. */
export function hangingSentence(comment: string): string | null {
  // Tags and notices of a license have their own form.
  const prose = (
    comment.split(/(?:^|\s)(?:@(?:throws|param|returns|deprecated|ts-|__)|Copyright )/)[0] ?? ''
  ).trim();
  const sentences = prose.split(/(?<=[.!?]) (?=[A-Z`])|\n\n/).filter((sentence) => sentence !== '');
  const found = sentences.find((sentence, index) => {
    const said = sentence.replace(INTRODUCED, '');
    const capital = said.charAt(0).toUpperCase() + said.slice(1);
    return hangs(capital, index === 0) || IDIOM.test(sentence.replaceAll(/`[^`]*`/g, '`'));
  });
  return found ?? null;
}

/** A comment, and not the asterisks of a path such as `src/**` + `/*.ts`. */
const DOC_COMMENT = /(?<=^|[\s({[,;|&=?:<])\/\*\*\s([\s\S]*?)\*\//gm;

/** All doc comments of a TypeScript or JavaScript file, as text without their asterisks. */
function docComments(source: string): { readonly line: number; readonly text: string }[] {
  return [...source.matchAll(DOC_COMMENT)].map(({ 1: body = '', index }) => ({
    line: source.slice(0, index).split('\n').length,
    text: body
      .split('\n')
      .map((line) => line.replace(/^\s*\* ?/, '').trim())
      .join('\n')
      .trim()
      .replaceAll(/(?<!\n)\n(?!\n)/g, ' '),
  }));
}

/** The doc comments of a file that hang from a name, in order. */
export function hangingComments(source: string): HangingComment[] {
  return docComments(source).flatMap(({ line, text }) => {
    const sentence = hangingSentence(text);
    return sentence === null ? [] : [{ line, sentence }];
  });
}
