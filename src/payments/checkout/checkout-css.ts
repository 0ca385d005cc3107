/** The stylesheet of payers' pages. Sides are logical, so that one sheet serves both directions of writing. */
export const CHECKOUT_CSS = `:root {
  color-scheme: light dark;
  --page: #f4f4f5; --sheet: #fff; --text: #18181b; --quiet: #52525b; --line: #a1a1aa;
  --main: #1d4ed8; --on-main: #fff; --bad: #b91c1c; --bad-sheet: #fef2f2; --note: #fef3c7; --on-note: #78350f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #18181b; --sheet: #27272a; --text: #fafafa; --quiet: #d4d4d8; --line: #71717a;
    --main: #93c5fd; --on-main: #172554; --bad: #fca5a5; --bad-sheet: #450a0a; --note: #78350f; --on-note: #fef3c7;
  }
}
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, "Noto Sans Arabic", sans-serif; }
.mode { margin: 0; padding: .5rem 1rem; background: var(--note); color: var(--on-note); text-align: center; font-size: .875rem; }
main { max-width: 26rem; margin: 2.5rem auto 1rem; padding: 1.75rem; background: var(--sheet); border-radius: .75rem;
  box-shadow: 0 1px 3px rgb(0 0 0 / .15); }
header { margin-block-end: 1.5rem; }
header p, .notice p { margin: 0; overflow-wrap: anywhere; }
h1, h2 { margin: 0 0 .5rem; font-size: 1.25rem; line-height: 1.3; }
.merchant, .description, .help, .hint, dt { color: var(--quiet); }
.merchant { margin: 0; font-size: 1rem; font-weight: 400; line-height: 1.5; overflow-wrap: anywhere; }
.amount { font-size: 1.875rem; font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; align-items: start; }
.field { margin-block-end: 1rem; min-width: 0; }
label { display: block; margin-block-end: .25rem; font-weight: 550; font-size: .9375rem; }
input { width: 100%; padding: .625rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--sheet);
  color: var(--text); font: inherit; font-variant-numeric: tabular-nums; }
[dir="rtl"] input { text-align: right; }
input[aria-invalid] { border-color: var(--bad); }
input:focus-visible, button:focus-visible, a:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
.fault { margin: .25rem 0 0; color: var(--bad); font-size: .875rem; }
.help { margin: .25rem 0 0; font-size: .8125rem; line-height: 1.35; }
.hint { margin: 1rem 0 0; font-size: .875rem; }
.alert { margin: 0 0 1.25rem; padding: .75rem 1rem; border-radius: .5rem; background: var(--bad-sheet); color: var(--bad); }
button, .button { display: block; width: 100%; min-height: 3rem; padding: .625rem 1rem; border: 0; border-radius: .5rem;
  background: var(--main); color: var(--on-main); font: inherit; font-weight: 600; text-align: center; text-decoration: none;
  cursor: pointer; }
button + button { margin-block-start: .75rem; }
button:disabled { opacity: .6; cursor: progress; }
.quiet { background: transparent; color: var(--text); border: 1px solid var(--line); }
.notice .button { margin-block-start: 1.25rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .5rem 1.25rem; margin: 1.25rem 0 0; }
dd { margin: 0; min-width: 0; text-align: end; overflow-wrap: anywhere; }
.reference { font-size: .8125rem; }
.back { margin: 1.25rem 0 0 !important; text-align: center; }
a { color: var(--main); }
a.button { color: var(--on-main); }
a.button.quiet { color: var(--text); }
footer { max-width: 26rem; margin: 0 auto 2rem; text-align: center; font-size: .875rem; }
@media (max-width: 30rem) {
  main { margin: 0; padding: 1.25rem 1rem 1.5rem; border-radius: 0; box-shadow: none; }
  footer { margin-block-start: 1rem; }
}
`;
