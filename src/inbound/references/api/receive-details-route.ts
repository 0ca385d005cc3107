import { z } from 'zod';
import { findCustomerAccount } from '../../../accounts/account/customer-account-store.ts';
import { found, isLive } from '../../../api/answers.ts';
import { route, routesSince } from '../../../api/route.ts';
import * as shown from '../../../api/schemas/shown.ts';
import { operatorBooks } from '../../../organisations/organisation-store.ts';
import { publicId } from '../../../values/ids.ts';
import { referenceOf } from '../receive-reference-store.ts';

const receivingAccount = z
  .object({
    identifiers: z
      .array(z.string())
      .meta({ description: 'Its IBAN, or its number.', example: ['AT611904300234573201'] }),
    bic: z.string().nullable().meta({ description: 'Of the bank.', example: 'BKAUATWW' }),
    currency: shown.currencyShown,
  })
  .meta({ id: 'ReceivingBankAccount', description: 'An account at a bank that transfers may be sent to.' });

const receiveDetails = z
  .object({
    object: z.literal('receive_details'),
    livemode: shown.livemode,
    account: shown.id('account', 'The account that receives.'),
    account_name: z
      .string()
      .nullable()
      .meta({ description: 'Whose the bank accounts are. Null where it is unknown.', example: 'Countinghouse GmbH' }),
    bank_accounts: z
      .array(receivingAccount)
      .meta({ description: 'Those in the currency of the account. Empty where no bank of the operator’s takes it.' }),
    reference: z.string().meta({
      description: 'ISO 11649. A transfer that names it, and no other account’s, is booked on the account.',
      example: 'RF18539007547034ABCD',
    }),
  })
  .meta({ id: 'ReceiveDetails', description: 'How money is sent to an account.' });

const read = route({
  method: 'get',
  path: '/v1/accounts/:id/receive_details',
  operation: 'getAccountReceiveDetails',
  tag: 'Accounts',
  summary: 'Retrieve how money is sent to an account',
  description:
    'A payer sends it to one of the bank accounts, with the reference in the remittance. The reference is made when it is first asked for, and stays.',
  scope: 'accounts:read',
  params: { id: 'account' },
  responses: { 200: { description: 'What a payer needs.', schema: receiveDetails } },
  async handle({ runtime, principal, params }) {
    const { pool, rails, clock } = runtime;
    const { bookId, mode } = principal;
    const { account } = found(await findCustomerAccount(pool, bookId, params.id!));
    const receiving = rails
      .all()
      .filter((rail) => rail.mode === mode)
      .flatMap((rail) => rail.receivesOn?.(account.currency) ?? []);
    const operatorBookId = (await operatorBooks(pool))[mode];
    const of = { ownerBookId: bookId, accountId: account.id };
    return {
      status: 200,
      json: {
        object: 'receive_details',
        livemode: isLive(principal),
        account: publicId('account', account.id),
        account_name: receiving[0]?.name ?? null,
        bank_accounts: receiving.map(({ identifiers, bic }) => ({ identifiers, bic, currency: account.currency })),
        reference: await referenceOf(pool, operatorBookId, of, clock.now()),
      },
    };
  },
});

export const receiveDetailsRoutes = routesSince('0.4.0', [read]);
