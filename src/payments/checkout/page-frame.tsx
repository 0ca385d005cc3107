/// <reference types="@kitajs/html/htmx.d.ts" />
/**
 * The frame of a payer's page: one stylesheet, one script, no front-end build, and all of it works without the script. Links are
 * relative, so that the pages work behind a proxy with a path of its own.
 */
import type { Children } from '@kitajs/html';
import { type Language, TEXTS } from './checkout-texts.ts';

export interface Frame {
  readonly language: Language;
  readonly title: string;
  readonly livemode: boolean;
  /** From the page to `/checkout/`: empty on the checkout page. */
  readonly base: string;
  /** Where the page leads by itself, and after how many seconds; with a script only where `always`. */
  readonly refresh?: { readonly seconds: number; readonly url: string; readonly always: boolean };
  readonly content: Children;
}

/** The policy allows neither evaluated text nor inline styles; every answer is shown, whatever its status. */
const HTMX = {
  allowEval: false,
  includeIndicatorStyles: false,
  responseHandling: [
    { code: '204', swap: false },
    { code: '...', swap: true },
  ],
};

export function page({ language, title, livemode, base, refresh, content }: Frame): string {
  const texts = TEXTS[language];
  const other = language === 'en' ? 'ar' : 'en';
  const again = refresh && (
    <meta http-equiv="refresh" content={`${refresh.seconds}${refresh.url === '' ? '' : `;url=${refresh.url}`}`} />
  );
  const html = (
    <html lang={language} dir={texts.direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="htmx-config" content={JSON.stringify(HTMX)} />
        <title safe>{title}</title>
        <link rel="icon" href={`${base}assets/icon.svg`} />
        <link rel="stylesheet" href={`${base}assets/checkout.css`} />
        <script src={`${base}assets/htmx.js`} defer></script>
        {refresh === undefined ? '' : refresh.always ? again : <noscript>{again}</noscript>}
      </head>
      <body>
        {livemode ? (
          ''
        ) : (
          <p class="mode" role="note" safe>
            {texts.testMode}
          </p>
        )}
        <main>{content}</main>
        <footer>
          <a href={`?lang=${other}`} lang={other} hreflang={other} safe>
            {texts.otherLanguage}
          </a>
        </footer>
      </body>
    </html>
  );
  return `<!doctype html>\n${html as string}`;
}

/** A message without a form: the whole of a page, or the part under its `summary`. */
export function notice({
  heading,
  text,
  children,
  isPart = false,
}: {
  heading: string;
  text: string;
  children?: Children;
  isPart?: boolean;
}) {
  return (
    <section class="notice">
      {isPart ? <h2 safe>{heading}</h2> : <h1 safe>{heading}</h1>}
      <p safe>{text}</p>
      {children}
    </section>
  );
}
