/** The page of the sandbox acquirer's challenges: there the payer's bank is played. */
import type { SandboxChallenge } from '../../../acquirers/acquirers.ts';
import type { Page, PageRequest } from '../../../api/page.ts';
import { namedOrigin } from '../../../values/url.ts';
import { checkoutUrl } from '../../payment/checkout-link.ts';
import { CHALLENGE_BASE, challengePage } from '../challenge-page.tsx';
import { backUrl } from '../checkout-state.ts';
import { challengedPayment, inquiryName, resolveChallenge } from '../resolve-challenge.ts';
import { failedPage, notFound, requestLanguage } from './page-answers.ts';

const sandboxChallenge: Page = {
  path: '/sandbox/challenges/:challenge',

  async get(request) {
    const challenge = await find(request);
    if (challenge === undefined) return notFound(request, CHALLENGE_BASE);
    const { back, leadsTo } = await wayBack(request, challenge);
    const html = challengePage(challenge, { language: requestLanguage(request), back });
    return { status: challenge.isOpen ? 200 : 410, html, leadsTo };
  },

  async post(request, form) {
    const challenge = await find(request);
    if (challenge === undefined) return notFound(request, CHALLENGE_BASE);
    const { runtime, params } = request;
    const { sandbox } = runtime.acquirers;
    const result = form.get('result');
    // Neither of its buttons: nothing is decided, and the page asks again.
    if (challenge.isOpen && result !== 'pass' && result !== 'fail')
      return { ...(await this.get(request)), status: 422 };
    const isResolved =
      challenge.isOpen &&
      (await sandbox.resolveChallenge(params.challenge!, { passed: result === 'pass' })) !== undefined;
    const of = { bookId: challenge.originator, reference: challenge.reference };
    const resolve = () => resolveChallenge(runtime, sandbox, of);
    // The form that resolves the challenge inquires at once. A repeated form shares the inquiry that is under way.
    await (isResolved ? resolve() : request.inquiries.ask(inquiryName(of), resolve));
    const { back, leadsTo } = await wayBack(request, challenge);
    // What the page's policy cannot name is reached by a link on the page.
    if (back !== null && namedOrigin(back) !== undefined) return { status: 303, location: back, leadsTo };
    const over = { ...challenge, isOpen: false };
    return { status: 200, html: challengePage(over, { language: requestLanguage(request), back }), leadsTo };
  },

  failed: (request, status) => failedPage(request, status, CHALLENGE_BASE),
};

export const challengePages: readonly Page[] = [sandboxChallenge];

function find({ runtime, params }: PageRequest): Promise<SandboxChallenge | undefined> {
  return runtime.acquirers.sandbox.findChallenge(params.challenge!);
}

/** To the page that the payment began on, else to the merchant. The page may lead on to the merchant by itself. */
async function wayBack(
  { runtime, query }: PageRequest,
  { originator, reference }: SandboxChallenge,
): Promise<{ back: string | null; leadsTo: string[] }> {
  const { payment } = (await challengedPayment(runtime.pool, { bookId: originator, reference })) ?? {};
  if (payment === undefined) return { back: null, leadsTo: [] };
  const merchant = backUrl(payment.returnUrl, payment);
  const page = checkoutUrl(runtime.fingerprints, runtime.publicUrl, { bookId: originator, id: payment.id });
  const back = payment.sourceType === 'checkout' ? inLanguage(page, query.get('lang')) : merchant;
  return { back, leadsTo: [back, merchant].filter((url) => url !== null) };
}

function inLanguage(url: string, language: string | null): string {
  return language === 'en' || language === 'ar' ? `${url}?lang=${language}` : url;
}
