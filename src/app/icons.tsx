/** The page's icons: 16-unit line drawings in the text colour, hidden from screen readers (labels are words). */
import type { ReactNode } from 'react';

function Icon({ children, size = 16 }: { children: ReactNode; size?: number }): ReactNode {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {children}
    </svg>
  );
}

export const PlayIcon = (): ReactNode => (
  <Icon>
    <path d="M4.5 2.8v10.4l8.5-5.2z" fill="currentColor" />
  </Icon>
);

export const PauseIcon = (): ReactNode => (
  <Icon>
    <path d="M5 3.2v9.6M11 3.2v9.6" strokeWidth="2.8" />
  </Icon>
);

export const StepIcon = (): ReactNode => (
  <Icon>
    <path d="M3 3.2v9.6L9.8 8z" fill="currentColor" />
    <path d="M12.8 3v10" strokeWidth="2" />
  </Icon>
);

export const StopIcon = (): ReactNode => (
  <Icon>
    <rect x="3.5" y="3.5" width="9" height="9" rx="1.2" fill="currentColor" />
  </Icon>
);

export const ResetIcon = (): ReactNode => (
  <Icon>
    <path d="M3.2 6.2A5.3 5.3 0 1 1 2.9 9.6M3 2.7v3.6h3.6" />
  </Icon>
);

export const DownloadIcon = (): ReactNode => (
  <Icon>
    <path d="M8 2.5v7.5M4.8 7l3.2 3.2L11.2 7M3 13.3h10" />
  </Icon>
);

export const UploadIcon = (): ReactNode => (
  <Icon>
    <path d="M8 10.5V3M4.8 6 8 2.8 11.2 6M3 13.3h10" />
  </Icon>
);

export const CheckIcon = (): ReactNode => (
  <Icon size={12}>
    <path d="m2.8 8.6 3.6 3.6 6.8-8" strokeWidth="2.4" />
  </Icon>
);

export const CrossIcon = (): ReactNode => (
  <Icon size={12}>
    <path d="m3.5 3.5 9 9m0-9-9 9" strokeWidth="2.4" />
  </Icon>
);

export const InfoIcon = (): ReactNode => (
  <Icon size={14}>
    <circle cx="8" cy="8" r="6.4" strokeWidth="1.4" />
    <path d="M8 7.3v3.7M8 4.9v.1" strokeWidth="1.7" />
  </Icon>
);

export const LockIcon = (): ReactNode => (
  <Icon size={14}>
    <rect x="3" y="7" width="10" height="6.8" rx="1.4" />
    <path d="M5.2 7V5a2.8 2.8 0 0 1 5.6 0v2" />
  </Icon>
);

export const ChevronIcon = (): ReactNode => (
  <Icon size={14}>
    <path d="m5.5 3 5 5-5 5" />
  </Icon>
);

export const SunIcon = (): ReactNode => (
  <Icon>
    <circle cx="8" cy="8" r="3" />
    <path d="M8 1.3v1.4M8 13.3v1.4M1.3 8h1.4M13.3 8h1.4M3.3 3.3l1 1M11.7 11.7l1 1M3.3 12.7l1-1M11.7 4.3l1-1" />
  </Icon>
);

export const MoonIcon = (): ReactNode => (
  <Icon>
    <path d="M13.3 9.7A5.8 5.8 0 0 1 6.3 2.7a5.8 5.8 0 1 0 7 7z" />
  </Icon>
);

export const AutoIcon = (): ReactNode => (
  <Icon>
    <circle cx="8" cy="8" r="5.6" />
    <path d="M8 2.4a5.6 5.6 0 0 1 0 11.2z" fill="currentColor" />
  </Icon>
);
