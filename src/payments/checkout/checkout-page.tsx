/// <reference types="@kitajs/html/htmx.d.ts" />
/** The hosted page of a payment, in each of its states. */

import { publicId } from '../../ids.ts';
import { formatAmount } from '../../money/amount.ts';
import type { Payment } from '../payment.ts';
import type { CardFaults, CardField } from './card-form.ts';
import { cardText } from './card-text.ts';
import { attemptNumber, backUrl, type CheckoutState } from './checkout-state.ts';
import type { Checkout } from './checkout-store.ts';
import { declineText, type Language, TEXTS, type Texts } from './checkout-texts.ts';
import { notice, page } from './page-frame.tsx';

export interface CheckoutPage {
  readonly checkout: Checkout;
  readonly state: CheckoutState;
  readonly language: Language;
  /** What was wrong with the form; no digit of a card. */
  readonly faults?: CardFaults;
  /** The expiry date as it was typed. */
  readonly expiry?: string;
  /** Why nothing was tried. */
  readonly problem?: keyof Texts;
}

/** Seconds between looks of a page that waits; its request is held while nothing happens. */
const LOOK_SECONDS = 2;

export function checkoutPage(shown: CheckoutPage): string {
  const { checkout, state, language } = shown;
  const texts = TEXTS[language];
  const { payment } = checkout;
  const frame = { language, livemode: checkout.mode === 'live', base: '' };
  switch (state) {
    case 'form':
      return page({ ...frame, title: `${texts.payTo} ${checkout.merchant}`, content: cardForm(shown) });
    case 'processing':
      return page({
        ...frame,
        title: texts.processing,
        refresh: { seconds: LOOK_SECONDS, url: '', always: false },
        content: processing(checkout, language),
      });
    case 'challenge':
      return page({
        ...frame,
        title: texts.challenge,
        refresh: { seconds: LOOK_SECONDS, url: payment.nextAction!.url, always: true },
        content: notice({
          heading: texts.challenge,
          text: texts.challengeHelp,
          children: (
            <a class="button" href={payment.nextAction!.url} safe>
              {texts.toBank}
            </a>
          ),
        }),
      });
    case 'paid':
      return page({ ...frame, title: texts.paid, content: receipt(checkout, texts) });
    default: {
      const text = state === 'failed' ? texts.failedHelp : texts.overHelp;
      const children = backLink(backUrl(payment.cancelUrl ?? payment.returnUrl, payment), texts.toShop);
      return page({ ...frame, title: texts[state], content: notice({ heading: texts[state], text, children }) });
    }
  }
}

function cardForm(shown: CheckoutPage) {
  const { checkout, language, problem, faults = {} } = shown;
  const texts = TEXTS[language];
  const { payment, mode } = checkout;
  const isFaulty = Object.keys(faults).length > 0;
  const decline = payment.attempts.at(-1);
  const alert = problem
    ? texts[problem]
    : decline !== undefined && !isFaulty
      ? `${texts.notMade} ${declineText(decline.code, language)}`
      : undefined;
  const first = (['number', 'expiry', 'cvc'] as const).find((name) => faults[name] !== undefined) ?? 'number';
  const common = { texts, faults, first };
  return (
    <>
      {summary(checkout, texts)}
      {alert === undefined ? (
        ''
      ) : (
        <p class="alert" role="alert" safe>
          {alert}
        </p>
      )}
      <form
        method="post"
        action=""
        hx-post=""
        hx-target="main"
        hx-select="main"
        hx-swap="outerHTML"
        hx-disabled-elt="find button"
        autocomplete="on"
        novalidate
      >
        <input type="hidden" name="attempt" value={String(attemptNumber(payment))} />
        {field({ ...common, name: 'number', label: texts.cardNumber, autocomplete: 'cc-number', maxlength: 30 })}
        <div class="pair">
          {field({
            ...common,
            name: 'expiry',
            label: texts.expiry,
            autocomplete: 'cc-exp',
            placeholder: texts.expiryForm,
            value: shown.expiry,
            maxlength: 9,
          })}
          {field({
            ...common,
            name: 'cvc',
            label: texts.cvc,
            autocomplete: 'cc-csc',
            help: texts.cvcWhere,
            maxlength: 4,
          })}
        </div>
        <button type="submit">
          <span safe>{texts.pay}</span>{' '}
          <bdi dir="ltr" safe>
            {formatAmount(payment.amount, payment.currency)}
          </bdi>
        </button>
      </form>
      {mode === 'test' ? (
        <p class="hint" safe>
          {texts.testNumbers}
        </p>
      ) : (
        <p class="hint" safe>
          {texts.private}
        </p>
      )}
      {backLink(backUrl(payment.cancelUrl, payment), texts.cancel)}
    </>
  );
}

interface Field {
  readonly name: CardField;
  readonly label: string;
  readonly autocomplete: string;
  readonly placeholder?: string;
  readonly help?: string;
  readonly value?: string | undefined;
  readonly maxlength: number;
  readonly texts: Texts;
  readonly faults: CardFaults;
  /** The field that is typed into first. */
  readonly first: CardField;
}

/** What is wrong stands beside the field, and is read out with it. */
function field({ name, label, autocomplete, placeholder, help, value, maxlength, texts, faults, first }: Field) {
  const fault = faults[name];
  const described = [fault && `${name}-fault`, help && !fault && `${name}-help`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={name} safe>
        {label}
      </label>
      <input
        id={name}
        name={name}
        type="text"
        inputmode="numeric"
        dir="ltr"
        autocomplete={autocomplete}
        placeholder={placeholder}
        value={value}
        maxlength={maxlength}
        autofocus={name === first}
        required
        aria-invalid={fault ? 'true' : undefined}
        aria-describedby={described === '' ? undefined : described}
      />
      {fault === undefined ? (
        ''
      ) : (
        <p class="fault" id={`${name}-fault`} safe>
          {texts[fault]}
        </p>
      )}
      {help === undefined || fault !== undefined ? (
        ''
      ) : (
        <p class="help" id={`${name}-help`} safe>
          {help}
        </p>
      )}
    </div>
  );
}

function processing(checkout: Checkout, language: Language) {
  const texts = TEXTS[language];
  const every = `load delay:${LOOK_SECONDS}s`;
  return (
    <div hx-get="" hx-trigger={every} hx-target="main" hx-select="main" hx-swap="outerHTML">
      {summary(checkout, texts)}
      {notice({
        heading: texts.processing,
        text: texts.processingHelp,
        children: (
          <a class="button quiet" href={`?lang=${language}`} safe>
            {texts.refresh}
          </a>
        ),
      })}
    </div>
  );
}

function receipt(checkout: Checkout, texts: Texts) {
  const { payment, merchant } = checkout;
  const text = payment.status === 'authorized' ? texts.authorizedHelp : texts.paidHelp;
  return notice({
    heading: texts.paid,
    text,
    children: (
      <dl>
        <dt safe>{texts.paidTo}</dt>
        <dd>
          <bdi safe>{merchant}</bdi>
        </dd>
        <dt safe>{texts.amount}</dt>
        <dd>
          <bdi dir="ltr" safe>
            {formatAmount(payment.amount, payment.currency)}
          </bdi>
        </dd>
        {payment.card === null ? (
          ''
        ) : (
          <>
            <dt safe>{texts.paidWith}</dt>
            <dd>
              <bdi dir="ltr" safe>
                {cardText(payment.card)}
              </bdi>
            </dd>
          </>
        )}
        <dt safe>{texts.reference}</dt>
        <dd>
          <bdi dir="ltr" class="reference" safe>
            {publicId('payment', payment.id)}
          </bdi>
        </dd>
      </dl>
    ),
  });
}

function summary({ merchant, payment }: Checkout, texts: Texts) {
  const { description } = payment;
  return (
    <header>
      <h1 class="merchant">
        <span safe>{texts.payTo}</span> <bdi safe>{merchant}</bdi>
      </h1>
      <p class="amount">
        <bdi dir="ltr" safe>
          {formatAmount(payment.amount, payment.currency)}
        </bdi>
      </p>
      {description === null ? (
        ''
      ) : (
        <p class="description">
          <bdi safe>{description}</bdi>
        </p>
      )}
    </header>
  );
}

function backLink(url: string | null, text: string) {
  if (url === null) return '';
  return (
    <p class="back">
      <a href={url} safe>
        {text}
      </a>
    </p>
  );
}

/** Whether the payment's answer is known, as far as the payer's page goes. */
export function hasAnswer({ status }: Pick<Payment, 'status'>): boolean {
  return status !== 'processing';
}
