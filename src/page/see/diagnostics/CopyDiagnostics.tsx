import { useState, type ReactNode } from 'react';
import { LinkButton } from '../../ui/parts/buttons.tsx';

/** Copies the contents of a report of a fault. If the clipboard refuses, the text is shown to be copied by hand. */
export function CopyDiagnostics(): ReactNode {
  const [said, setSaid] = useState('');
  const [text, setText] = useState<string | null>(null);
  const copy = async (): Promise<void> => {
    const { diagnosticsText } = await import('./diagnostics.ts');
    const found = await diagnosticsText();
    try {
      await navigator.clipboard.writeText(found);
      setSaid(' Copied: versions, adapter, limits, settings and the last events, no prompts and no answers.');
      setText(null);
    } catch {
      setSaid(' The browser does not let the page copy. Copy this text:');
      setText(found);
    }
  };
  return (
    <span>
      <LinkButton data-testid="copy-diagnostics" onClick={() => void copy()}>
        Copy diagnostics
      </LinkButton>
      <span role="status">{said}</span>
      {text !== null && <textarea readOnly rows={8} cols={60} value={text} aria-label="Diagnostics" />}
    </span>
  );
}
