import { useMemo, type ReactNode } from 'react';
import { encode } from 'uqr';

/** The empty cells around a code, which readers need. */
const BORDER = 4;

/** A text for the camera of a phone, black on white in any colour scheme, as readers expect it. */
export function QrCode({ text }: { readonly text: string }): ReactNode {
  const code = useMemo(() => {
    try {
      const { data, size } = encode(text, { ecc: 'M', border: BORDER });
      const cells = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : [])));
      return { size, path: cells.join('') };
    } catch {
      return null;
    }
  }, [text]);
  if (code === null) return <p className="quiet">The link is too long for a QR code. Copy it instead.</p>;
  return (
    <svg
      style={{ width: 'min(220px, 100%)', height: 'auto', borderRadius: 'var(--radius)' }}
      viewBox={`0 0 ${code.size} ${code.size}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label="QR code of the link"
      data-testid="qr-code"
    >
      <rect width={code.size} height={code.size} fill="#fff" />
      <path d={code.path} fill="#000" />
    </svg>
  );
}
