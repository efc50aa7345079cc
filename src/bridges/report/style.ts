/** The stylesheet of a report, which holds it as text so that nothing is fetched. */
export const STYLE = `
:root { color-scheme: light dark; --paper: #f4f6f8; --panel: #fff; --line: #d9dfe5; --ink: #15212b; --soft: #47545f; --good: #0a633b; --bad: #b3401f;
  --arm-1: #0072b2; --arm-2: #b85400; --arm-3: #00805c; --arm-4: #7a3e9d; --arm-5: #8a6400; --arm-6: #4b5f73; }
@media (prefers-color-scheme: dark) { :root { --paper: #0e141b; --panel: #151d26; --line: #2a3642; --ink: #e6edf3; --soft: #b4c0cb; --good: #2cc295; --bad: #ff9472;
  --arm-1: #56b4e9; --arm-2: #f0a33a; --arm-3: #2cc295; --arm-4: #c39be8; --arm-5: #d9c04a; --arm-6: #a9bacb; } }
body { margin: 0 auto; max-width: 1060px; padding: 20px 16px 48px; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; overflow-wrap: anywhere; } h2 { font-size: 18px; margin: 0 0 8px; } h3 { font-size: 15px; margin: 18px 0 6px; overflow-wrap: anywhere; }
section { margin-top: 16px; padding: 14px 16px; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
p { margin: 6px 0; overflow-wrap: anywhere; } .result { font-size: 17px; } .quiet, .facts { color: var(--soft); font-size: 13px; } .good { color: var(--good); } .bad { color: var(--bad); } a { color: var(--arm-1); }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 13.5px; } th, td { padding: 5px 14px 5px 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; }
thead th { border-top: 0; font-weight: 650; } caption { text-align: left; color: var(--soft); padding: 8px 0 2px; } code, pre { font: 12.5px/1.45 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { margin: 4px 0; padding: 8px 10px; white-space: pre-wrap; background: var(--paper); border-radius: 6px; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); gap: 14px; } figure { margin: 0; } svg { display: block; width: 100%; height: auto; }
.grid { stroke: var(--line); stroke-dasharray: 2 4; } .tick { fill: var(--soft); font-size: 11px; } svg path { fill: none; stroke: currentColor; stroke-linecap: round; stroke-linejoin: round; }
svg .thin { stroke-width: 1; opacity: .45; } svg .bold { stroke-width: 2.4; } svg .area { fill: currentColor; stroke: none; opacity: .15; } svg .mark { stroke-width: 1.6; fill: var(--panel); }
.key span { margin-right: 14px; } .key .swatch { display: inline-block; width: 16px; height: 3px; margin-right: 6px; vertical-align: middle; }
.samples article { padding: 8px 0; border-top: 1px solid var(--line); } .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr)); gap: 10px; }
@media (max-width: 500px) { .tick { font-size: 15px; } }
@media print { body { background: none; } section { break-inside: avoid; } }
`;
