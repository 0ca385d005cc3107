/** A bank account by its IBAN (ISO 13616). */
import { maskName } from '../../outside/masks/mask-name.ts';
import type { InstructedIban } from '../../rails/rail.ts';
import type { PostalAddress } from '../../values/postal-address.ts';
import type { OutsideDestinationType } from './destination.ts';

export interface IbanInput {
  readonly type: 'iban';
  /** In electronic form, with right check digits. */
  readonly iban: string;
  readonly name: string;
  readonly bic?: string | null | undefined;
  readonly address?: PostalAddress | null | undefined;
}

export const iban: OutsideDestinationType<IbanInput, InstructedIban> = {
  type: 'iban',
  feeSetting: 'PAYOUT_FEE_IBAN_BASIS_POINTS',
  instruct: ({ iban: number, name, bic, address }) => ({
    type: 'iban',
    iban: number,
    name,
    bic: bic ?? null,
    address: address ?? null,
  }),
  shown: ({ iban: number, name, bic }) => ({
    masked: maskIban(number),
    provider: null,
    details: { name_masked: maskName(name), bic: bic ?? null },
  }),
  write: ({ iban: number, name, bic, address }) => JSON.stringify({ iban: number, name, bic, address }),
  read: (text) => ({ type: 'iban', ...(JSON.parse(text) as Omit<InstructedIban, 'type'>) }),
  view: ({ masked, details }) => ({
    type: 'iban',
    iban_masked: masked,
    name_masked: details!.name_masked,
    bic: details!.bic,
  }),
  payee: ({ iban: number }) => number,
};

/** Country and check digits, and the last four: what statements of banks show. */
function maskIban(number: string): string {
  return `${number.slice(0, 4)}${'*'.repeat(number.length - 8)}${number.slice(-4)}`;
}
