/**
 * What is wrong with controls beyond the form of each member: what does not fit together, what does not exist. A list that matches nothing
 * would be a control that somebody believes in.
 */
import { ApiError, type FieldError } from '../../errors/errors.ts';
import { isListedCountry } from '../purchase/country.ts';
import { mccEntryError } from '../purchase/merchant-category.ts';
import { DEBIT_KINDS } from '../purchase/purchase-facts.ts';
import type { AllowOrBlock, ControlsContent, Limit, LimitFilter } from './controls-content.ts';

export const LIMITS_MAX = 20;
export const LIST_MAX = 500;

type EntryError = (entry: string) => string | undefined;

/** `root`: where the controls stand in the request, such as `/controls`. Empty for controls that can be kept. */
export function contentErrors(content: ControlsContent, root = ''): FieldError[] {
  const { limits, mcc, countries, merchants, entryModes } = content;
  return [
    ...(limits.length > LIMITS_MAX ? [at(`${root}/limits`, `At most ${LIMITS_MAX} limits.`)] : []),
    ...limits.flatMap((limit, place) => limitErrors(limit, `${root}/limits/${place}`)),
    ...allowOrBlockErrors(mcc, `${root}/mcc`, mccEntryError),
    ...allowOrBlockErrors(countries, `${root}/countries`, countryError),
    ...allowOrBlockErrors(merchants, `${root}/merchants`),
    ...(entryModes === null ? [] : listErrors(entryModes.allow, `${root}/entry_modes/allow`)),
    ...negativeErrors(content.requireThreeDSecureAbove, `${root}/require_three_d_secure_above`),
  ];
}

/** Throws ApiError with all of them at once. */
export function requireContent(content: ControlsContent, root = ''): void {
  const errors = contentErrors(content, root);
  if (errors.length > 0) throw new ApiError(errors[0]!.code, { fieldErrors: errors });
}

function at(param: string, detail: string): FieldError {
  return { code: 'parameter_invalid', param, detail };
}

function limitErrors(limit: Limit, pointer: string): FieldError[] {
  const { window, amount, count, for: filter, netOfRefunds } = limit;
  const errors = [
    ...negativeErrors(amount, `${pointer}/amount`),
    ...negativeErrors(count, `${pointer}/count`),
    ...filterErrors(filter, `${pointer}/for`),
  ];
  if (amount === null && count === null) errors.push(at(pointer, 'A limit has an `amount`, a `count` or both.'));
  if (window === 'authorization' && count !== null)
    errors.push(at(`${pointer}/count`, 'One purchase counts once: a `count` needs a period.'));
  if (netOfRefunds && window !== 'all_time')
    errors.push(at(`${pointer}/net_of_refunds`, 'Refunds give back to a limit of `all_time` alone.'));
  if (netOfRefunds && amount === null)
    errors.push(
      at(`${pointer}/net_of_refunds`, 'Refunds give back amounts, not purchases: the limit has no `amount`.'),
    );
  return errors;
}

function negativeErrors(value: bigint | null, pointer: string): FieldError[] {
  return value !== null && value < 0n ? [at(pointer, 'Expects 0 or more.')] : [];
}

function filterErrors(filter: LimitFilter | null, pointer: string): FieldError[] {
  if (filter === null) return [];
  const { kinds, mccs, countries, merchants, entryModes } = filter;
  const lists = [kinds, mccs, countries, merchants, entryModes];
  if (lists.every((list) => list === undefined)) return [at(pointer, 'Says what the limit is for, or is left out.')];
  return [
    ...listErrors(kinds, `${pointer}/kinds`, kindError),
    ...listErrors(mccs, `${pointer}/mccs`, mccEntryError),
    ...listErrors(countries, `${pointer}/countries`, countryError),
    ...listErrors(merchants, `${pointer}/merchants`),
    ...listErrors(entryModes, `${pointer}/entry_modes`),
  ];
}

function allowOrBlockErrors(lists: AllowOrBlock | null, pointer: string, entryError?: EntryError): FieldError[] {
  if (lists === null) return [];
  const { allow, block } = lists;
  if (allow !== undefined && block !== undefined)
    return [at(pointer, 'Either `allow` or `block`: what is allowed alone leaves nothing to block.')];
  if (allow === undefined && block === undefined) return [at(pointer, 'Expects `allow` or `block`.')];
  return [...listErrors(allow, `${pointer}/allow`, entryError), ...listErrors(block, `${pointer}/block`, entryError)];
}

/** Not given: no error. */
function listErrors(entries: readonly string[] | undefined, pointer: string, entryError?: EntryError): FieldError[] {
  if (entries === undefined) return [];
  if (entries.length === 0) return [at(pointer, 'Expects at least one entry.')];
  if (entries.length > LIST_MAX) return [at(pointer, `At most ${LIST_MAX} entries.`)];
  return entries.flatMap((entry, place) => {
    const error = entryError?.(entry);
    return error === undefined ? [] : [at(`${pointer}/${place}`, error)];
  });
}

function countryError(country: string): string | undefined {
  return isListedCountry(country) ? undefined : `${country} is no country of ISO 3166-1 (alpha-2).`;
}

function kindError(kind: string): string | undefined {
  const counts = (DEBIT_KINDS as readonly string[]).includes(kind);
  return counts ? undefined : `A limit counts what leaves the account: ${DEBIT_KINDS.join(', ')}.`;
}
