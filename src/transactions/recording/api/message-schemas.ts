/** Bodies of processors' messages. */
import { z } from 'zod';
import { ONE_LINE, WORD } from '../../../acquirers/party-texts.ts';
import { amountOrZero, orAll, positiveAmount } from '../../../api/schemas/amount.ts';
import { currency, partyReference, reference, unlessGiven } from '../../../api/schemas/fields.ts';
import { DEBIT_KINDS, ENTRY_MODES, PURCHASE_KINDS, type PurchaseKind } from '../../../cards/purchase/purchase-facts.ts';

/** Published in the guide. Networks' own are shorter. */
const REFERENCE_MAX = 64;

const messageReference = partyReference(
  REFERENCE_MAX,
  WORD,
  'Your name of this message, one a message: a repeat gets the first answer. Visible ASCII characters.',
);
const networkReference = partyReference(
  REFERENCE_MAX,
  WORD,
  "The network's name of the purchase, which all its messages share. Visible ASCII characters.",
);

const merchant = z
  .strictObject({
    id: partyReference(64, ONE_LINE, "The acquirer's id of the merchant."),
    acquirer_id: partyReference(64, ONE_LINE, 'The id of the acquirer.').optional(),
    name: partyReference(100, ONE_LINE, 'As it stands on statements. A card number in it is masked.'),
    city: partyReference(100, ONE_LINE, 'The city. A card number in it is masked.'),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, 'Expects two capital letters, such as US.')
      .meta({
        description: 'ISO 3166-1 alpha-2. One that the standard does not list is flagged `unlisted`.',
        example: 'US',
      }),
    postal_code: partyReference(16, ONE_LINE, 'As the country writes it.').optional(),
    mcc: z
      .string()
      .regex(/^\d{4}$/, 'Expects four digits, such as 5411.')
      .meta({ description: 'Merchant category code. One that nobody lists is flagged `unlisted`.', example: '5411' }),
    terminal: partyReference(16, ONE_LINE, 'The id of the terminal.').optional(),
  })
  .meta({ id: 'MerchantRequest', description: 'Who sells.' });

const check = (what: string) =>
  z
    .enum(['match', 'no_match', 'not_checked'])
    .optional()
    .meta({ description: `What the network found of ${what}.` });

const entryMode = z.enum(ENTRY_MODES).meta({ description: 'How the card was presented.' });

const kind = (kinds: readonly [PurchaseKind, ...PurchaseKind[]], description: string) =>
  z.enum(kinds).optional().meta({ description });

const merchantAmount = {
  merchant_amount: amountOrZero
    .optional()
    .meta({ type: 'integer', format: 'int64', minimum: 0, description: "The same in the merchant's currency." }),
  merchant_currency: currency.optional(),
};

const checks = {
  cvv_result: check('the security code'),
  pin_result: check('the PIN'),
  expiry_result: check('the expiry date'),
  avs_result: check('the address. It declines nothing by itself.'),
  three_d_secure: z
    .strictObject({
      result: z.enum(['authenticated', 'attempted', 'failed', 'not_performed']),
      eci: z
        .string()
        .regex(/^\d{2}$/, 'Expects two digits, such as 05.')
        .meta({ description: "The network's indicator.", example: '05' })
        .optional(),
    })
    .optional()
    .meta({ id: 'ThreeDSecureRequest', description: 'What became of 3-D Secure.' }),
};

/** One of them names the card. */
const cardNamed = {
  card: reference('card', 'The card. One of `card`, `card_reference` and `token`.').optional(),
  card_reference: partyReference(64, WORD, "The processor's id of the card.").optional(),
  token: reference('cardToken', 'The token that was presented.').optional(),
};

const named = { message_reference: messageReference };

/** Of a message that has no id of its transaction: it may come first. */
const byReference = {
  ...cardNamed,
  network_reference: networkReference,
  merchant: merchant.optional().meta({ description: 'Required where the network_reference names no transaction yet.' }),
  entry_mode: entryMode.optional(),
};

const requested = {
  ...merchantAmount,
  ...checks,
  partial_approval_allowed: unlessGiven(z.boolean(), false, 'Whether less may be approved. Without it, `false`.'),
};

const form = unlessGiven(
  z.enum(['dual', 'single']),
  'dual',
  'A `single` message posts at once; of a `dual` one the clearing does. Without it, `dual`.',
);

const cashback = amountOrZero.optional().meta({
  type: 'integer',
  format: 'int64',
  minimum: 0,
  description: 'The part of the amount that is handed out as cash.',
});

const authorizationFields = {
  ...cardNamed,
  amount: amountOrZero,
  currency,
  ...named,
  network_reference: networkReference,
  merchant,
  entry_mode: entryMode,
  kind: kind(
    PURCHASE_KINDS,
    'What it is for. Without it the MCC says: 6010 and 6011 cash, 4829, 6051, 6540 and 7995 quasi-cash, else a purchase.',
  ),
  message: form,
  cashback_amount: cashback,
  ...requested,
};

export const createAuthorization = z.strictObject(authorizationFields).meta({ id: 'CreateTransaction' });

const incrementFields = { ...named, amount: positiveAmount, currency: currency.optional(), ...requested };

export const increment = z.strictObject(incrementFields).meta({ id: 'IncrementTransaction' });

const createIncrementFields = { ...byReference, ...incrementFields, kind: kind(DEBIT_KINDS, 'What it is for.') };

export const createIncrement = z.strictObject(createIncrementFields).meta({ id: 'CreateTransactionIncrement' });

const reversalFields = {
  ...named,
  amount: orAll(positiveAmount, 'What is taken back. Without it, all.'),
  currency: currency.optional(),
  ...merchantAmount,
  reverses: partyReference(
    REFERENCE_MAX,
    WORD,
    'The `message_reference` of the clearing or refund that is taken back. Without it, what was authorized is.',
  ).optional(),
};

export const reverse = z.strictObject(reversalFields).meta({ id: 'ReverseTransaction' });

const createReversalFields = { ...byReference, ...reversalFields };

export const createReversal = z.strictObject(createReversalFields).meta({ id: 'CreateTransactionReversal' });

/** A purchase clears in so many pieces at most: an airline ticket has a dozen. */
const PIECES_MAX = 99;

const sequence = z
  .strictObject({
    number: z.int().min(1).max(PIECES_MAX).meta({ description: 'Which piece, from 1.' }),
    count: z.int().min(1).max(PIECES_MAX).meta({ description: 'Of how many.' }),
  })
  .meta({ id: 'ClearingSequenceRequest', description: 'Of a purchase that clears in several pieces.' });

/** Of one clearing, either way. */
const INTERCHANGE_MAX = 1_000_000_000_000;

const clearingFields = {
  ...named,
  amount: positiveAmount,
  currency,
  ...merchantAmount,
  kind: kind(DEBIT_KINDS, 'What it is for.'),
  sequence: sequence.optional(),
  final: z.boolean().optional().meta({
    description:
      'Whether nothing more clears. Without it, true of what is no piece; the last of all pieces closes too.',
  }),
  interchange: z
    .int()
    .min(-INTERCHANGE_MAX)
    .max(INTERCHANGE_MAX)
    .optional()
    .meta({ description: 'Minor units, signed: a fact of the line, which moves no account of the book.' }),
};

export const clear = z.strictObject(clearingFields).meta({ id: 'ClearTransaction' });

const createClearingFields = { ...byReference, ...clearingFields };

export const createClearing = z.strictObject(createClearingFields).meta({ id: 'CreateTransactionClearing' });

const refundFields = { ...named, amount: positiveAmount, currency, ...merchantAmount };

export const refund = z.strictObject(refundFields).meta({ id: 'RefundTransaction' });

const createRefundFields = { ...byReference, ...refundFields };

export const createRefund = z.strictObject(createRefundFields).meta({ id: 'CreateTransactionRefund' });

const advised = z
  .strictObject({
    reason: z.enum(['stand_in', 'completion', 'offline']).meta({
      description:
        '`stand_in`: we did not answer in time. `completion`: what was sold in the end, in place of all that was authorized. `offline`: the terminal approved it.',
    }),
    of: z.enum(['authorization', 'increment']),
    decision: z.enum(['approved', 'declined']),
    approved_amount: amountOrZero.meta({
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'What the network has approved: 0 of what it declined, and of a completion that sold nothing.',
    }),
  })
  .meta({ id: 'TransactionAdvice', description: 'What the network has decided in our place.' });

const createAdviceFields = {
  ...byReference,
  ...named,
  amount: orAll(amountOrZero, 'What was asked of the network. Without it, what it approved.'),
  currency,
  kind: kind([...DEBIT_KINDS, 'refund', 'transfer_in'], 'What it is for.'),
  message: form,
  ...merchantAmount,
  ...checks,
  advice: advised,
};

export const createAdvice = z.strictObject(createAdviceFields).meta({ id: 'CreateTransactionAdvice' });

export const expire = z.strictObject(named).meta({ id: 'ExpireTransaction' });

/** Of a simulation: references that are left out are filled in. */
const filledIn = {
  message_reference: messageReference.optional(),
  network_reference: networkReference.optional(),
};

export const simulateAuthorization = z
  .strictObject({ ...authorizationFields, ...filledIn })
  .meta({ id: 'SimulateCardAuthorization' });

export const simulateIncrement = z
  .strictObject({ ...createIncrementFields, ...filledIn })
  .meta({ id: 'SimulateCardIncrement' });

export const simulateReversal = z
  .strictObject({ ...createReversalFields, ...filledIn })
  .meta({ id: 'SimulateCardReversal' });

export const simulateClearing = z
  .strictObject({ ...createClearingFields, ...filledIn })
  .meta({ id: 'SimulateCardClearing' });

/** Of what was never authorized. */
export const simulateForcedPost = z
  .strictObject({ ...createClearingFields, ...filledIn, merchant })
  .meta({ id: 'SimulateCardForcedPost' });

export const simulateRefund = z.strictObject({ ...createRefundFields, ...filledIn }).meta({ id: 'SimulateCardRefund' });

export const simulateAdvice = z.strictObject({ ...createAdviceFields, ...filledIn }).meta({ id: 'SimulateCardAdvice' });
