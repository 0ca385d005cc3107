/** Decline codes of issuers and acquirers as the API names them, beside the network's own code (ISO 8583, field 39). */

export type DeclineAdvice = 'retry_later' | 'use_another_method' | 'do_not_retry';

interface Decline {
  /** Field 39 in the sandbox's answer. */
  readonly networkCode: string;
  readonly advice: DeclineAdvice;
  /** For the merchant's staff. The payer is shown less (checkout). */
  readonly message: string;
}

export const DECLINES = {
  generic_decline: {
    networkCode: '05',
    advice: 'use_another_method',
    message: 'The issuer declined without a reason.',
  },
  insufficient_funds: { networkCode: '51', advice: 'retry_later', message: 'The card has too little available.' },
  lost_card: { networkCode: '41', advice: 'do_not_retry', message: 'The card was reported lost.' },
  stolen_card: { networkCode: '43', advice: 'do_not_retry', message: 'The card was reported stolen.' },
  expired_card: { networkCode: '54', advice: 'use_another_method', message: 'The card has expired.' },
  incorrect_cvc: { networkCode: 'N7', advice: 'use_another_method', message: 'The security code is wrong.' },
  incorrect_number: { networkCode: '14', advice: 'use_another_method', message: 'There is no card of this number.' },
  restricted_card: {
    networkCode: '62',
    advice: 'use_another_method',
    message: 'The card may not be used for this payment.',
  },
  currency_not_supported: {
    networkCode: '57',
    advice: 'use_another_method',
    message: 'The card does not pay in this currency.',
  },
  authentication_required: {
    networkCode: '1A',
    advice: 'use_another_method',
    message: 'The issuer asks for an authentication that this payment cannot give.',
  },
  authentication_failed: {
    networkCode: '82',
    advice: 'use_another_method',
    message: 'The payer did not pass the authentication.',
  },
  processing_error: { networkCode: '96', advice: 'retry_later', message: 'The issuer could not process the payment.' },
  suspected_fraud: { networkCode: '59', advice: 'do_not_retry', message: 'The issuer suspects fraud.' },
  stop_recurring: { networkCode: 'R0', advice: 'do_not_retry', message: 'The payer stopped the recurring payments.' },
  issuer_unavailable: { networkCode: '91', advice: 'retry_later', message: 'The issuer gave no answer.' },
} as const satisfies Record<string, Decline>;

export type DeclineCode = keyof typeof DECLINES;

export const DECLINE_CODES = Object.keys(DECLINES) as [DeclineCode, ...DeclineCode[]];
