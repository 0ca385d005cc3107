/// <reference types="@kitajs/html/htmx.d.ts" />
/** The forms of the hosted page: for a card, or to leave for the acquirer's own page. */
import { formatAmount } from '../../money/amount.ts';
import type { Payment } from '../payment/payment.ts';
import type { CardFaults, CardField } from './card-form.ts';
import { attemptNumber, backUrl, type CheckoutState } from './checkout-state.ts';
import type { Checkout } from './checkout-store.ts';
import { declineText, type Language, TEXTS, type Texts } from './checkout-texts.ts';

export interface CheckoutPage {
  readonly checkout: Checkout;
  readonly state: CheckoutState;
  readonly language: Language;
  /** What was wrong with the form; no digit of a card. */
  readonly faults?: CardFaults;
  /** The expiry date as it was typed. */
  readonly expiry?: string;
  /** The payer gives the card on the acquirer's own page. */
  readonly isElsewhere?: boolean;
  /** The payer comes from there: nothing leads back there by itself. */
  readonly hasReturned?: boolean;
  /** Why nothing was tried. */
  readonly problem?: keyof Texts;
}

/** A button, and nothing to fill in: the acquirer asks for the card. */
export function leavingForm({ checkout, language }: CheckoutPage) {
  const texts = TEXTS[language];
  const { payment } = checkout;
  return (
    <>
      {summary(checkout, texts)}
      {alertOf(declined(payment, texts, language))}
      <form
        method="post"
        action=""
        hx-post=""
        hx-target="main"
        hx-select="main"
        hx-swap="outerHTML"
        hx-disabled-elt="find button"
      >
        <input type="hidden" name="attempt" value={String(attemptNumber(payment))} />
        <button type="submit" safe>
          {texts.toAcquirer}
        </button>
      </form>
      <p class="hint" safe>
        {texts.elsewhereHelp}
      </p>
      {backLink(backUrl(payment.cancelUrl, payment), texts.cancel)}
    </>
  );
}

/** Why the attempt before was not made. */
function declined({ attempts }: Payment, texts: Texts, language: Language): string | undefined {
  const last = attempts.at(-1);
  return last && `${texts.notMade} ${declineText(last.code, language)}`;
}

function alertOf(text: string | undefined) {
  if (text === undefined) return '';
  return (
    <p class="alert" role="alert" safe>
      {text}
    </p>
  );
}

export function cardForm(shown: CheckoutPage) {
  const { checkout, language, problem, faults = {} } = shown;
  const texts = TEXTS[language];
  const { payment, mode } = checkout;
  const isFaulty = Object.keys(faults).length > 0;
  const alert = problem ? texts[problem] : isFaulty ? undefined : declined(payment, texts, language);
  const first = (['number', 'expiry', 'cvc'] as const).find((name) => faults[name] !== undefined) ?? 'number';
  const common = { texts, faults, first };
  return (
    <>
      {summary(checkout, texts)}
      {alertOf(alert)}
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
        {field({ ...common, name: 'number', label: texts.cardNumber, autocomplete: 'cc-number', maxlength: 80 })}
        <div class="pair">
          {field({
            ...common,
            name: 'expiry',
            label: texts.expiry,
            autocomplete: 'cc-exp',
            placeholder: texts.expiryForm,
            value: shown.expiry,
            maxlength: 30,
          })}
          {field({
            ...common,
            name: 'cvc',
            label: texts.cvc,
            autocomplete: 'cc-csc',
            help: texts.cvcWhere,
            maxlength: 20,
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

export function summary({ merchant, payment }: Checkout, texts: Texts) {
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

export function backLink(url: string | null, text: string) {
  if (url === null) return '';
  return (
    <p class="back">
      <a href={url} safe>
        {text}
      </a>
    </p>
  );
}
