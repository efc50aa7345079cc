import { memo } from 'react';
import type { ReactNode } from 'react';
import { segments } from './completionText.ts';
import classes from './rollouts.module.css';

/** Breaks in a row, which a collapsed model writes by the dozen, take one line and are counted. */
function LineBreaks({ count }: { count: number }): ReactNode {
  return (
    <span className={classes.newline}>
      {count > 1 && `×${count}`}
      {'\n'}
    </span>
  );
}

/** What the model wrote, to the character: spaces dotted, line breaks marked, the answer tag highlighted. */
export const CompletionText = memo(function CompletionText({ text }: { text: string }): ReactNode {
  if (text === '') return <span className={classes.empty}>(empty answer)</span>;
  return (
    <code className={classes.text}>
      {segments(text).map((segment, index) => {
        if (segment.kind === 'text') return <span key={index}>{segment.text}</span>;
        if (segment.kind === 'tag') {
          return (
            <mark key={index} className={classes.tag}>
              {segment.text}
            </mark>
          );
        }
        if (segment.kind === 'newlines') return <LineBreaks key={index} count={segment.text.length} />;
        return (
          <span key={index} className={classes.spaces}>
            {segment.text}
          </span>
        );
      })}
    </code>
  );
});
