/** What the pages of payers have in common. */
import type { PageAnswer, PageRequest } from '../../../api/page.ts';
import { type Language, languageOf, TEXTS } from '../checkout-texts.ts';
import { notice, page } from '../page-frame.tsx';

export function requestLanguage({ query, acceptLanguage }: PageRequest): Language {
  return languageOf(query.get('lang'), acceptLanguage);
}

/** The page of a request that cannot be served. `base`: from the page to `/checkout/`. */
export function failedPage(request: PageRequest, status: number, base: string): string {
  const language = requestLanguage(request);
  const texts = TEXTS[language];
  const [heading, text] =
    status === 404
      ? [texts.notFound, texts.notFoundHelp]
      : status === 429
        ? [texts.busy, texts.busyHelp]
        : [texts.broken, texts.brokenHelp];
  return page({ language, title: heading, livemode: true, base, content: notice({ heading, text }) });
}

export function notFound(request: PageRequest, base: string): PageAnswer {
  return { status: 404, html: failedPage(request, 404, base) };
}
