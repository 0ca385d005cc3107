/** The hosted page of a payment: `/checkout/{token}`. A form is answered with a redirect, so that a reload sends nothing again. */
import type { CardInput } from '../../../acquirers/card.ts';
import type { Page, PageAnswer, PageRequest } from '../../../api/page.ts';
import { ApiError } from '../../../errors/errors.ts';
import { PartyUnreachable } from '../../../outside/party/party.ts';
import { namedOrigin } from '../../../values/url.ts';
import { paymentOperations } from '../../operations/payment-operation-table.ts';
import { checkoutDigest, RETURNED } from '../../payment/checkout-link.ts';
import { payments } from '../../payment/payment-table.ts';
import { exchangeCard } from '../../sources/card.ts';
import { readCard } from '../card-form.ts';
import type { CheckoutPage } from '../checkout-forms.tsx';
import { checkoutPage } from '../checkout-page.tsx';
import { attemptNumber, backUrl, checkoutState, hasAnswer } from '../checkout-state.ts';
import { type Checkout, findCheckout } from '../checkout-store.ts';
import { inquiryName, resolveChallenge } from '../resolve-challenge.ts';
import { tryCard } from '../try-card.ts';
import { challengePages } from './challenge-pages.ts';
import { failedPage, notFound, requestLanguage } from './page-answers.ts';

/** As long as an issuer takes at its slowest; then the page shows that it waits. */
const WAIT_SECONDS = 10;
/**
 * Of a page that loads: a payer who sees nothing reloads it. A loaded page asks by script, and its answer waits longer.
 */
const LOAD_SECONDS = 2;

const DATE = /^[\d\s/.-]{1,9}$/;

/** From the page to `/checkout/`. */
const BASE = '';

const hostedPage: Page = {
  path: '/checkout/:token',

  async get(request) {
    const found = await find(request);
    if (found === undefined) return notFound(request, BASE);
    const checkout = request.query.has(RETURNED) ? await returned(request, found) : found;
    if (checkoutState(checkout.payment) !== 'processing') return show(request, checkout);
    return show(request, await afterAnswer(request, checkout, request.byScript ? WAIT_SECONDS : LOAD_SECONDS));
  },

  // Our own forms have the number of their attempt, and are sent to the URL of the page, `returned` too.
  leadsBack: ({ query }, form) => query.has(RETURNED) && !form?.has('attempt'),

  async post(request, form) {
    const found = await find(request);
    if (found === undefined) return notFound(request, BASE);
    const checkout = request.query.has(RETURNED) ? await returned(request, found) : found;
    const attempt = attemptNumber(checkout.payment);
    if (checkoutState(checkout.payment) !== 'form' || form.get('attempt') !== String(attempt))
      return go(request, await afterAnswer(request, checkout));
    if (isElsewhere(request, checkout)) return leave(request, checkout, attempt);
    const given = readCard(form, request.runtime.clock.now());
    // Shown again with what was wrong: a date, and nothing that could be a part of a number.
    const typed = { expiry: DATE.exec(form.get('expiry') ?? '')?.[0] ?? '' };
    if ('faults' in given) return refuse(request, checkout, { ...typed, faults: given.faults }, 422);
    return pay(request, { checkout, card: given.card, attempt, typed });
  },

  failed: (request, status) => failedPage(request, status, BASE),
};

export const checkoutPages: readonly Page[] = [hostedPage, ...challengePages];

interface GivenCard {
  readonly checkout: Checkout;
  readonly card: CardInput;
  readonly attempt: number;
  readonly typed: { readonly expiry: string };
}

/** A form that is sent again meanwhile gets the outcome of the first: a link causes one call at a time. */
async function pay(request: PageRequest, given: GivenCard): Promise<PageAnswer> {
  const { checkout, attempt, typed } = given;
  const { bookId, payment } = checkout;
  const refused = await request.cardTries.ask(`${bookId} ${payment.id} ${attempt}`, () => tryGiven(request, given));
  if (refused) {
    const { status, isFailure, retryAfterSeconds, ...why } = refused;
    return { ...refuse(request, checkout, { ...typed, ...why }, status), isFailure, retryAfterSeconds };
  }
  const after = await afterAnswer(request, checkout);
  return { ...go(request, after), isFailure: after.payment.attempts.length > payment.attempts.length };
}

type CardRefusal = Pick<CheckoutPage, 'faults' | 'problem'> &
  Pick<PageAnswer, 'status' | 'isFailure' | 'retryAfterSeconds'>;

/** The card is exchanged for a token first, which moves no money: no later step has its number. Undefined once its attempt has begun. */
async function tryGiven(
  { runtime, requestId }: PageRequest,
  { checkout: { bookId, payment }, card, attempt }: GivenCard,
): Promise<CardRefusal | undefined> {
  const acquirer = runtime.acquirers.get(payment.acquirer);
  let exchanged: Awaited<ReturnType<typeof exchangeCard>>;
  try {
    const reusable = payment.storeFor !== null;
    exchanged = await exchangeCard(runtime, card, { bookId, acquirer, reusable, param: '' });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const param = error.fieldErrors[0]?.param;
    if (param === '/number') return { faults: { number: 'numberUnknown' }, status: 422, isFailure: true };
    // It expired between the form and here.
    if (param === '/exp_year') return { faults: { expiry: 'expiryPast' }, status: 422 };
    return { problem: 'noAnswer', status: 503, retryAfterSeconds: 1 };
  }
  await runtime.committer.submit(bookId, tryCard(bookId, { ...exchanged, payment, attempt, requestId }));
  return undefined;
}

/** Opens a session at the acquirer, which answers with the URL of its page. */
async function leave(request: PageRequest, checkout: Checkout, attempt: number): Promise<PageAnswer> {
  const { runtime, requestId } = request;
  const { bookId, payment } = checkout;
  await runtime.committer.submit(bookId, tryCard(bookId, { token: null, card: null, payment, attempt, requestId }));
  return go(request, await afterAnswer(request, checkout));
}

/** Whether the payer gives the card on the acquirer's own page. */
function isElsewhere({ runtime }: PageRequest, { payment }: Checkout): boolean {
  return runtime.acquirers.get(payment.acquirer).hostedSession !== undefined;
}

/**
 * The payer is back from the acquirer's page. The acquirer is asked for the outcome; without an answer a notice reports
 * it. Anybody with the link can cause an inquiry: one runs at a time.
 */
async function returned({ runtime, inquiries }: PageRequest, checkout: Checkout): Promise<Checkout> {
  const { bookId, payment } = checkout;
  if (checkoutState(payment) !== 'challenge') return checkout;
  const operation = await paymentOperations.find(runtime.pool, bookId, payment.pendingOperation!);
  if (operation === undefined) return checkout;
  const acquirer = runtime.acquirers.get(payment.acquirer);
  try {
    const of = { bookId, reference: operation.reference };
    const after = await inquiries.ask(inquiryName(of), () => resolveChallenge(runtime, acquirer, of));
    return after === undefined ? checkout : { ...checkout, payment: after };
  } catch (error) {
    if (!(error instanceof PartyUnreachable)) throw error;
    return checkout;
  }
}

async function find({ runtime, params }: PageRequest): Promise<Checkout | undefined> {
  const digest = checkoutDigest(params.token!);
  return digest && findCheckout(runtime.pool, digest);
}

/** The payment once its acquirer has answered, or the wait is over. */
async function afterAnswer(
  { waiters, signal }: PageRequest,
  checkout: Checkout,
  seconds = WAIT_SECONDS,
): Promise<Checkout> {
  const target = { bookId: checkout.bookId, id: checkout.payment.id, isDone: hasAnswer, seconds, signal };
  const payment = await waiters.waitersOf(payments).waitFor(target);
  return payment === undefined ? checkout : { ...checkout, payment };
}

/** Where the payer goes from the form: to the merchant, to the bank, or back to the page. */
function go(request: PageRequest, checkout: Checkout): PageAnswer {
  const { payment } = checkout;
  const state = checkoutState(payment);
  const leadsTo = leadsToOf(request, checkout);
  const url =
    state === 'paid' ? backUrl(payment.returnUrl, payment) : state === 'challenge' ? payment.nextAction!.url : null;
  // Browsers hold the policy against redirects of a form: what it does not name is reached by a link on the page.
  const isAllowed = url !== null && (request.byScript || mayLeadTo(leadsTo, url));
  return { status: 303, location: isAllowed ? url : ownUrl(request), leadsTo };
}

function show(request: PageRequest, checkout: Checkout): PageAnswer {
  const { payment } = checkout;
  const state = checkoutState(payment);
  const back = state === 'paid' ? backUrl(payment.returnUrl, payment) : null;
  // Of a form that was answered with a redirect to here the page's policy still holds.
  if (back !== null && (request.byScript || namedOrigin(back) !== undefined)) return { status: 303, location: back };
  const isOver = state === 'failed' || state === 'canceled' || state === 'expired';
  const html = checkoutPage({
    checkout,
    state,
    language: requestLanguage(request),
    isElsewhere: (state === 'form' || state === 'challenge') && isElsewhere(request, checkout),
    hasReturned: request.query.has(RETURNED),
  });
  return { status: isOver ? 410 : 200, html, leadsTo: leadsToOf(request, checkout) };
}

function refuse(
  request: PageRequest,
  checkout: Checkout,
  why: Pick<CheckoutPage, 'faults' | 'expiry' | 'problem'>,
  status: number,
): PageAnswer {
  const html = checkoutPage({ checkout, state: 'form', language: requestLanguage(request), ...why });
  return { status, html, leadsTo: leadsToOf(request, checkout) };
}

function mayLeadTo(leadsTo: readonly string[], url: string): boolean {
  const origin = namedOrigin(url);
  return origin !== undefined && leadsTo.some((target) => namedOrigin(target) === origin);
}

/** The merchant, and this installation: the sandbox's challenges are there under its public name. A link leads to an acquirer's page. */
function leadsToOf({ runtime }: PageRequest, { payment }: Checkout): string[] {
  return payment.returnUrl === null ? [runtime.publicUrl] : [runtime.publicUrl, payment.returnUrl];
}

/** Relative, so that it holds behind a proxy. */
function ownUrl({ params, query }: PageRequest): string {
  const language = query.get('lang');
  return language === 'en' || language === 'ar' ? `${params.token}?lang=${language}` : params.token!;
}
