/** What to do where a browser offers no GPU, by browser and system. */

export interface Platform {
  readonly userAgent: string;
  /** Whether the page came over HTTPS or from this machine: WebGPU needs it. */
  readonly isSecure: boolean;
  /** Whether the browser has WebGPU at all, with an adapter or without. */
  readonly hasApi: boolean;
}

const ANDROID = /Android/;
const APPLE_MOBILE = /iPhone|iPad/;
const LINUX = /Linux|X11|CrOS/;

function browserOf(userAgent: string): 'Firefox' | 'Chrome' | 'Safari' {
  if (/Firefox|FxiOS/.test(userAgent)) return 'Firefox';
  return /Chrome|Chromium|Edg\//.test(userAgent) ? 'Chrome' : 'Safari';
}

/** Sentences, the likeliest cause first. */
export function gpuHelp({ userAgent, isSecure, hasApi }: Platform): readonly string[] {
  if (!isSecure)
    return [
      'Browsers offer WebGPU to pages from https:// or from this machine (localhost) alone: open the page from there.',
    ];
  if (APPLE_MOBILE.test(userAgent))
    return ['On iPhone and iPad every browser has WebGPU from iOS 26 on: update the system.'];
  const browser = browserOf(userAgent);
  if (browser === 'Safari')
    return [
      'Safari has WebGPU from version 26 on (macOS Tahoe). On an older macOS take Chrome, Edge or Firefox.',
    ];
  if (browser === 'Firefox')
    return LINUX.test(userAgent)
      ? [
          'Firefox on Linux has WebGPU in Nightly; elsewhere set dom.webgpu.enabled to true in about:config and start it again.',
          'Or take Chrome or Edge.',
        ]
      : [
          'Firefox has WebGPU on Windows from version 141 on and on Macs with Apple chips from 145 on: update it, or take Chrome or Edge.',
        ];
  if (ANDROID.test(userAgent))
    return [
      'Chrome has WebGPU on Android 12 and newer with a Qualcomm or ARM GPU: update Chrome and the system.',
    ];
  const settings =
    'Turn on “Use graphics acceleration when available” in chrome://settings/system and start the browser again.';
  if (LINUX.test(userAgent))
    return [
      settings,
      'On Linux Chrome needs a Vulkan driver (vulkaninfo shows it) and, for many GPUs, chrome://flags/#enable-unsafe-webgpu and chrome://flags/#enable-vulkan.',
      'chrome://gpu says what is missing.',
    ];
  return [
    ...(hasApi ? [] : ['Update Chrome or Edge: they have WebGPU from version 113 on.']),
    settings,
    'Update the driver of the graphics card. chrome://gpu says what is missing.',
  ];
}
