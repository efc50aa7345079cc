import { useState, type ReactNode } from 'react';
import { openHelp, setOpen, useIsOpen } from './ui/open/openStore.ts';
import { LinkButton } from './ui/parts/buttons.tsx';
import { lazyPart } from './ui/draw/lazyPart.tsx';

const CopyDiagnostics = lazyPart(
  async () => (await import('./see/diagnostics/CopyDiagnostics.tsx')).CopyDiagnostics,
);
const SweepView = lazyPart(async () => (await import('./keep/sweeps/SweepView.tsx')).SweepView);

/** The button that opens the view of a sweep. A dropped sweep opens it, too. */
function SweepLink(): ReactNode {
  const opened = useIsOpen('sweep');
  const [wanted, setWanted] = useState(false);
  if (opened && !wanted) setWanted(true);
  return (
    <>
      <LinkButton data-testid="sweep-link" aria-haspopup="dialog" onClick={() => setOpen('sweep')}>
        Open a sweep
      </LinkButton>
      {wanted && <SweepView />}
    </>
  );
}

const SOURCE = import.meta.env.SOURCE_ADDRESS;
const LINKS = [
  ['Source', SOURCE],
  ['Documents', `${SOURCE}/tree/main/docs`],
  ['Glossary', `${SOURCE}/tree/main/docs/glossary.md`],
  ['Licences', './THIRD_PARTY_LICENSES.txt'],
] as const;

/** The help, the report of a fault, and links out. */
export function Footer(): ReactNode {
  return (
    <footer className="row quiet" style={{ columnGap: 24 }}>
      <LinkButton onClick={() => openHelp('help')}>Keys, and what is where</LinkButton>
      <SweepLink />
      <CopyDiagnostics />
      {LINKS.map(([name, address]) => (
        <a
          key={name}
          className="link"
          style={{ lineHeight: '24px' }}
          href={address}
          target="_blank"
          rel="noreferrer"
        >
          {name}
        </a>
      ))}
    </footer>
  );
}
