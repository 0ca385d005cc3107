/** Schemas of destinations, of every type in the list (../destinations.ts). */
import { z } from 'zod';
import * as shown from '../../../api/schemas/shown.ts';
import type { DestinationInput } from '../find-card.ts';
import { accountRequest, accountShown } from './account.ts';
import { cardRequest, cardShown } from './card.ts';
import { cliqClear, cliqRequest, cliqSaved, cliqShown } from './cliq.ts';
import { ibanClear, ibanInputOf, ibanRequest, ibanShown } from './iban.ts';
import { payeeRequest } from './payee.ts';
import { walletClear, walletInputOf, walletRequest, walletShown } from './wallet.ts';

/** Of a payout. */
export const destinationRequest = z
  .discriminatedUnion('type', [cliqRequest, cardRequest, accountRequest, ibanRequest, walletRequest, payeeRequest])
  .meta({ description: 'Where the money goes.' });

/** Of a payee. */
export const savedRequest = z
  .discriminatedUnion('type', [cliqSaved, cardRequest, accountRequest, ibanRequest, walletRequest])
  .meta({ description: 'Where payouts to the payee go.' });

/** What can be looked up before it is paid. */
export const resolvableRequest = z
  .discriminatedUnion('type', [cliqSaved, ibanRequest, walletRequest])
  .meta({ description: 'What is looked up.' });

/** By its name wherever it stands: in place at a payee it would have that of PayeeDestination. */
export const savedShown = z
  .discriminatedUnion('type', [cliqShown, cardShown, accountShown, ibanShown, walletShown])
  .meta({ id: 'SavedDestination', description: 'Where payouts to a payee go, masked.' });

const payeeShown = z
  .object({
    type: z.literal('payee'),
    payee: shown.id('payee', 'The payee that the payout was made for.'),
    payee_version: shown.count('Which of its destinations: `destination_version` at the time.'),
    destination: savedShown,
  })
  .meta({ id: 'PayeeDestination', description: 'A saved destination.' });

export const destinationShown = z.discriminatedUnion('type', [
  cliqShown,
  cardShown,
  accountShown,
  ibanShown,
  walletShown,
  payeeShown,
]);

/** Of a card, token and number stay with its party: what is shown in clear is what is shown anyway. */
export const destinationClear = z.discriminatedUnion('type', [
  cliqClear,
  cardShown,
  accountShown,
  ibanClear,
  walletClear,
]);

type Given = z.output<typeof savedRequest> | z.output<typeof cliqRequest>;

/** As the use cases take it. */
export function inputOf(given: Exclude<Given, { type: 'payee' }>): DestinationInput {
  if (given.type === 'iban') return ibanInputOf(given);
  return given.type === 'wallet' ? walletInputOf(given) : given;
}
