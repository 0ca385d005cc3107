/// <reference types="@kitajs/html/htmx.d.ts" />
/** The hosted page of a payment, in each of its states. */

import { formatAmount } from '../../money/amount.ts';
import { publicId } from '../../values/ids.ts';
import { cardText } from './card-text.ts';
import { backLink, type CheckoutPage, cardForm, leavingForm, summary } from './checkout-forms.tsx';
import { backUrl } from './checkout-state.ts';
import type { Checkout } from './checkout-store.ts';
import { type Language, TEXTS, type Texts } from './checkout-texts.ts';
import { notice, page } from './page-frame.tsx';

/** Seconds between looks of a page that waits; its request is held while nothing happens. */
const LOOK_SECONDS = 2;

export function checkoutPage(shown: CheckoutPage): string {
  const { checkout, state, language } = shown;
  const texts = TEXTS[language];
  const { payment } = checkout;
  const frame = { language, livemode: checkout.mode === 'live', base: '' };
  switch (state) {
    case 'form':
      return page({
        ...frame,
        title: `${texts.payTo} ${checkout.merchant}`,
        content: shown.isElsewhere ? leavingForm(shown) : cardForm(shown),
      });
    case 'processing':
      return page({
        ...frame,
        title: texts.processing,
        refresh: { seconds: LOOK_SECONDS, url: '', always: false },
        content: processing(checkout, language),
      });
    case 'challenge': {
      const [heading, text, link] = shown.isElsewhere
        ? [texts.elsewhere, texts.elsewhereHelp, texts.toAcquirer]
        : [texts.challenge, texts.challengeHelp, texts.toBank];
      const leads = { seconds: LOOK_SECONDS, url: payment.nextAction!.url, always: true };
      return page({
        ...frame,
        title: heading,
        ...(shown.hasReturned ? {} : { refresh: leads }),
        content: notice({
          heading,
          text,
          children: (
            <a class="button" href={payment.nextAction!.url} safe>
              {link}
            </a>
          ),
        }),
      });
    }
    case 'paid':
      return page({ ...frame, title: texts.paid, content: receipt(checkout, texts) });
    default: {
      const text = state === 'failed' ? texts.failedHelp : texts.overHelp;
      const children = backLink(backUrl(payment.cancelUrl ?? payment.returnUrl, payment), texts.toShop);
      return page({ ...frame, title: texts[state], content: notice({ heading: texts[state], text, children }) });
    }
  }
}

function processing(checkout: Checkout, language: Language) {
  const texts = TEXTS[language];
  const every = `load delay:${LOOK_SECONDS}s`;
  return (
    <div hx-get="" hx-trigger={every} hx-target="main" hx-select="main" hx-swap="outerHTML">
      {summary(checkout, texts)}
      {notice({
        isPart: true,
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
      <>
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
        {backLink(backUrl(payment.returnUrl, payment), texts.toShop)}
      </>
    ),
  });
}
