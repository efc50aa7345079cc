/** The page's icons: 16-unit line drawings in the text colour, hidden from screen readers (labels are words). */
import type { ReactNode } from 'react';

function icon(drawing: ReactNode, size = 16): () => ReactNode {
  return function Icon() {
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
        {drawing}
      </svg>
    );
  };
}

export const PlayIcon = icon(<path d="M4.5 2.8v10.4l8.5-5.2z" fill="currentColor" />);
export const PauseIcon = icon(<path d="M5 3.2v9.6M11 3.2v9.6" strokeWidth="2.8" />);
export const StepIcon = icon(
  <>
    <path d="M3 3.2v9.6L9.8 8z" fill="currentColor" />
    <path d="M12.8 3v10" strokeWidth="2" />
  </>,
);
export const StopIcon = icon(<rect x="3.5" y="3.5" width="9" height="9" rx="1.2" fill="currentColor" />);
export const ResetIcon = icon(<path d="M3.2 6.2A5.3 5.3 0 1 1 2.9 9.6M3 2.7v3.6h3.6" />);
export const DownloadIcon = icon(<path d="M8 2.5v7.5M4.8 7l3.2 3.2L11.2 7M3 13.3h10" />);
export const UploadIcon = icon(<path d="M8 10.5V3M4.8 6 8 2.8 11.2 6M3 13.3h10" />);
export const CheckIcon = icon(<path d="m2.8 8.6 3.6 3.6 6.8-8" strokeWidth="2.4" />, 12);
export const CrossIcon = icon(<path d="m3.5 3.5 9 9m0-9-9 9" strokeWidth="2.4" />, 12);
export const InfoIcon = icon(
  <>
    <circle cx="8" cy="8" r="6.4" strokeWidth="1.4" />
    <path d="M8 7.3v3.7M8 4.9v.1" strokeWidth="1.7" />
  </>,
  14,
);
export const LockIcon = icon(
  <>
    <rect x="3" y="7" width="10" height="6.8" rx="1.4" />
    <path d="M5.2 7V5a2.8 2.8 0 0 1 5.6 0v2" />
  </>,
  14,
);
export const ChevronIcon = icon(<path d="m5.5 3 5 5-5 5" />, 14);
export const MoreIcon = icon(<path d="M3.2 8h.1M8 8h.1M12.7 8h.1" strokeWidth="2.6" />);
export const SlidersIcon = icon(
  <path d="M2.5 4.5h6M12 4.5h1.5M2.5 11.5H4M7.5 11.5h6M8.5 4.5a1.75 1.75 0 1 0 3.5 0 1.75 1.75 0 1 0-3.5 0M4 11.5a1.75 1.75 0 1 0 3.5 0 1.75 1.75 0 1 0-3.5 0" />,
  14,
);
export const BellIcon = icon(<path d="M4 11V7.2a4 4 0 0 1 8 0V11l1.2 1.4H2.8zM6.6 14.2h2.8" />);
export const HelpIcon = icon(
  <>
    <path d="M5.3 6a2.7 2.7 0 1 1 4 2.4c-.9.5-1.3 1-1.3 2" strokeWidth="1.8" />
    <path d="M8 13.2v.1" strokeWidth="2.2" />
  </>,
);
export const CommandIcon = icon(
  <>
    <circle cx="7" cy="7" r="4.2" />
    <path d="m10.2 10.2 3.4 3.4" />
  </>,
);
export const SunIcon = icon(
  <>
    <circle cx="8" cy="8" r="3" />
    <path d="M8 1.3v1.4M8 13.3v1.4M1.3 8h1.4M13.3 8h1.4M3.3 3.3l1 1M11.7 11.7l1 1M3.3 12.7l1-1M11.7 4.3l1-1" />
  </>,
);
export const MoonIcon = icon(<path d="M13.3 9.7A5.8 5.8 0 0 1 6.3 2.7a5.8 5.8 0 1 0 7 7z" />);
export const AutoIcon = icon(
  <>
    <circle cx="8" cy="8" r="5.6" />
    <path d="M8 2.4a5.6 5.6 0 0 1 0 11.2z" fill="currentColor" />
  </>,
);
