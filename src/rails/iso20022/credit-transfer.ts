/**
 * A credit transfer as a bank is reported: whether the bank can carry it, in which characters. What it cannot carry is refused when the payout
 * is accepted, with a pointer to the member, and never cut. Pure.
 */
import { currencyExponent } from '../../money/currency.ts';
import type { NotCarried } from '../rail.ts';
import type { BankSettings } from './bank-settings.ts';
import { inCharacters, isLegible } from './characters.ts';

/** The payee, in the fields of a destination of type `iban`. */
export interface Payee {
  readonly iban: string;
  readonly name: string;
  readonly bic: string | null;
  readonly address: PayeeAddress | null;
}

export interface PayeeAddress {
  readonly line1: string | null;
  readonly city: string;
  readonly postalCode: string | null;
  /** ISO 3166, two letters. */
  readonly country: string;
}

export interface CreditTransfer {
  readonly endToEndId: string;
  /** InstrId: ours. */
  readonly instructionId: string;
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  readonly payee: Payee;
  readonly remittance: string | null;
  /** Purp/Cd: ExternalPurpose1Code. */
  readonly purposeCode: string | null;
}

/** Lengths of ISO 20022 and of the EPC's profile. */
const NAME_MAX = { iso: 140, epc: 70 } as const;
const STREET_MAX = 70;
/** Of TwnNm, in both profiles: an AdrLine replaces it in neither, since hybrid addresses have their town in TwnNm too. */
const TOWN_MAX = 35;
const POST_CODE_MAX = 16;
const REMITTANCE = { param: '/remittance', what: 'remittance', max: 140 } as const;
/** EPC132-08: 0.01 to 999,999,999.99. */
const EPC_AMOUNT_MAX = 99_999_999_999n;
/** ISO 20022 amounts have 18 digits. */
const ISO_AMOUNT_MAX = 999_999_999_999_999_999n;

type Carrier = Pick<BankSettings, 'profile' | 'characters' | 'currencies' | 'needsAddress'>;

/** The transfer in the bank's characters, or the first reason why it cannot be carried. */
export function toCarry(
  transfer: Pick<CreditTransfer, 'amount' | 'currency' | 'payee' | 'remittance'> & { description?: string | null },
  bank: Carrier,
): { readonly payee: Payee; readonly remittance: string | null } | NotCarried {
  const money = refuseMoney(transfer, bank);
  if (money !== undefined) return money;
  const written = (text: string) => inCharacters(text, bank.characters);
  const name = written(transfer.payee.name);
  const refusal =
    refuseText(name, { param: '/destination/name', what: 'name', max: NAME_MAX[bank.profile] }) ??
    refuseAddress(transfer.payee.address, bank, written) ??
    (transfer.remittance ? refuseText(written(transfer.remittance), REMITTANCE) : undefined);
  if (refusal !== undefined) return refusal;
  const { address, bic, iban } = transfer.payee;
  return {
    payee: { iban, bic, name, address: address === null ? null : writtenAddress(address, written) },
    remittance: transfer.remittance ? written(transfer.remittance) : describing(transfer.description, written),
  };
}

/** A description was not made for the bank: it travels whole or not at all. */
function describing(description: string | null | undefined, written: (text: string) => string): string | null {
  if (!description) return null;
  const text = written(description);
  return refuseText(text, REMITTANCE) === undefined ? text : null;
}

export function isNotCarried(carried: object): carried is NotCarried {
  return 'param' in carried;
}

function refuseMoney(
  { amount, currency }: Pick<CreditTransfer, 'amount' | 'currency'>,
  { profile, currencies }: Carrier,
): NotCarried | undefined {
  if (!currencies.includes(currency) || (profile === 'epc' && currency !== 'EUR'))
    return { param: '/currency', detail: `The bank does not carry ${currency}.` };
  const max = profile === 'epc' ? EPC_AMOUNT_MAX : ISO_AMOUNT_MAX;
  if (amount <= 0n || amount > max)
    return { param: '/amount', detail: `The bank carries amounts from 1 to ${max} minor units.` };
  return undefined;
}

const ADDRESS_MISSING = {
  param: '/destination/address',
  detail: "The bank carries no payment without the payee's address.",
} as const;

function refuseAddress(
  address: PayeeAddress | null,
  { needsAddress }: Pick<Carrier, 'needsAddress'>,
  written: (text: string) => string,
): NotCarried | undefined {
  if (address === null) return needsAddress ? ADDRESS_MISSING : undefined;
  const { line1, city, postalCode } = address;
  return (
    (line1 === null
      ? undefined
      : refuseText(written(line1), { param: '/destination/address/line1', what: 'street', max: STREET_MAX })) ??
    refuseText(written(city), { param: '/destination/address/city', what: 'town', max: TOWN_MAX }) ??
    (postalCode === null
      ? undefined
      : refuseText(written(postalCode), {
          param: '/destination/address/postal_code',
          what: 'postal code',
          max: POST_CODE_MAX,
        }))
  );
}

function writtenAddress(address: PayeeAddress, written: (text: string) => string): PayeeAddress {
  return {
    line1: address.line1 === null ? null : written(address.line1),
    city: written(address.city),
    postalCode: address.postalCode === null ? null : written(address.postalCode),
    country: address.country,
  };
}

interface Bound {
  readonly param: string;
  readonly what: string;
  readonly max: number;
}

function refuseText(text: string, bound: Bound): NotCarried | undefined {
  if (!isLegible(text))
    return { param: bound.param, detail: `Nothing of the ${bound.what} can be written in the bank's characters.` };
  return [...text].length > bound.max ? tooLong(bound) : undefined;
}

function tooLong({ param, what, max }: Bound): NotCarried {
  return { param, detail: `The ${what} has more than ${max} characters in the bank's file. It is not cut.` };
}

/** An amount as ISO 20022 writes it: `51.24`. */
export function toDecimal(amount: bigint, currency: string): string {
  return withPoint(amount, currencyExponent(currency));
}

/** The sum of amounts whatever their currencies (CtrlSum). */
export function controlSum(amounts: readonly { readonly amount: bigint; readonly currency: string }[]): string {
  const exponent = Math.max(0, ...amounts.map(({ currency }) => currencyExponent(currency)));
  const total = amounts.reduce(
    (sum, { amount, currency }) => sum + amount * 10n ** BigInt(exponent - currencyExponent(currency)),
    0n,
  );
  return withPoint(total, exponent);
}

function withPoint(amount: bigint, exponent: number): string {
  const digits = amount.toString().padStart(exponent + 1, '0');
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/** Minor units of an amount as it stands in a file: undefined for any other text, or for more decimals than the currency. */
export function fromDecimal(text: string, currency: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,18})(?:\.(\d{0,5}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  const exponent = currencyExponent(currency);
  if (/[^0]/.test(fraction.slice(exponent))) return undefined;
  return BigInt(whole + fraction.slice(0, exponent).padEnd(exponent, '0'));
}
