/**
 * Reads a partner's notice of a credit: money that arrived on an account of the operator's and belongs to no payout (docs/partners.md). The payer
 * comes masked: neither a name nor a whole account number is expected here.
 */
import { isCurrency } from '../../money/currency.ts';
import type { ReportedCredit } from '../../outside/credits/credit.ts';
import {
  currencyOrNull,
  dayOrNull,
  NotOfContract,
  positiveAmount,
  REFERENCE_MAX,
  textOrNull,
  textsOf,
  word,
  wordOrNull,
} from '../../outside/gateway/fields.ts';
import type { JsonObject } from '../../values/json.ts';

/** The kind of such a notice. */
export const CREDIT = 'credit';

/** ISO 20022: Max140Text. */
const TEXT_MAX = 140;
/** As many lines as a message of 8 kB has at most, about. */
const TEXTS_MAX = 20;
const ENDING_MAX = 4;

/** `place` names a credit without a reference of the bank's. Throws NotOfContract. */
export function readCredit(body: JsonObject, { place }: { readonly place: string }): ReportedCredit {
  const currency = currencyOrNull(body, 'currency');
  if (currency === null || !isCurrency(currency)) throw new NotOfContract('currency is no currency of ISO 4217');
  return {
    place,
    bankAccount: word(body, 'bank_account', REFERENCE_MAX),
    bankReference: wordOrNull(body, 'bank_reference', REFERENCE_MAX),
    amount: positiveAmount(body, 'amount'),
    currency,
    endToEndId: wordOrNull(body, 'end_to_end_id', REFERENCE_MAX),
    payerName: textOrNull(body, 'payer_name_masked', TEXT_MAX),
    payerAccount: wordOrNull(body, 'payer_account_ending', ENDING_MAX),
    remittance: textsOf(body, 'remittance', { most: TEXTS_MAX, max: TEXT_MAX }),
    valueOn: dayOrNull(body, 'value_on'),
    bookedOn: dayOrNull(body, 'booked_on'),
  };
}
