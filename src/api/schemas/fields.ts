/** Request fields that several objects share. Each refuses with an error code of the catalogue. */
import { z } from 'zod';
import { anyOf, type DeclaredResource, inOrder } from '../../ledger/resources/declared-resource.ts';
import { isCurrency } from '../../money/currency.ts';
import { CARD_NUMBER_REFUSED, hasCardNumber, urlHasCardNumber } from '../../values/card-number.ts';
import { ID_PREFIXES, type IdKind, idPattern, kindOf, parsePublicId, type Uuid } from '../../values/ids.ts';
import { refusedBy } from './refusal-codes.ts';

/** Published at GET /v1/limits. */
export const TEXT_LIMITS = { name: 200, description: 500, externalId: 255, alias: 100, provider: 50 } as const;
export const METADATA_LIMITS = { keys: 50, key: 40, value: 500 } as const;

/**
 * A member that may be left out, and what stands for it then. `text` explains it: the document has no `default`, since
 * generators take a member that has one for a required one.
 */
export function unlessGiven<Schema extends z.ZodType>(schema: Schema, otherwise: z.output<Schema>, text: string) {
  return schema
    .optional()
    .transform((given) => given ?? otherwise)
    .meta({ description: text });
}

/** A text of 1 to `maximum` characters, counted in code points as JSON Schema does. */
function textUpTo(maximum: number, description?: string) {
  return z
    .string()
    .check((context) => {
      const detail = lengthFault(context.value, maximum);
      if (detail) context.issues.push({ code: 'custom', input: context.value, message: detail });
    })
    .meta({ minLength: 1, maxLength: maximum, description });
}

/** A text for people, of 1 to `maximum` characters: anything but a card number (API.md §4). */
export function freeText(maximum: number, description?: string) {
  return textUpTo(maximum, description).check(refuseCardNumber);
}

export function cardNumberIssue(input: string, path?: PropertyKey[]) {
  return {
    code: 'custom' as const,
    input,
    message: CARD_NUMBER_REFUSED,
    params: { fieldError: 'card_number_not_allowed' },
    ...(path && { path }),
  };
}

interface PartyRule {
  fault(text: string): string | undefined;
}

/** A text that leaves for a party: checked by that party's rules when it is accepted, and never cut or rewritten later. */
export function partyText(maximum: number, rule: PartyRule, description?: string): ReturnType<typeof freeText> {
  return freeText(maximum, description).check(ruledBy(rule));
}

/** What a party or the scheme calls something by, handed back to it: it may look like a card number (API.md §4). */
export function partyReference(maximum: number, rule: PartyRule, description?: string): ReturnType<typeof freeText> {
  return textUpTo(maximum, description).check(ruledBy(rule));
}

function ruledBy(rule: PartyRule) {
  return (context: { value: string; issues: object[] }): void => {
    if (context.issues.length > 0) return;
    const detail = rule.fault(context.value);
    if (detail) context.issues.push({ code: 'custom', input: context.value, message: detail });
  };
}

/** A check of a text, whether a body or a filter has it. One that is refused already, such as for its length, is not looked at. */
export function refuseCardNumber(context: { value: string; issues: object[] }): void {
  if (context.issues.length === 0 && hasCardNumber(context.value)) context.issues.push(cardNumberIssue(context.value));
}

/** The same of a URL. */
export function refuseCardNumberInUrl(context: { value: string; issues: object[] }): void {
  if (context.issues.length === 0 && urlHasCardNumber(context.value))
    context.issues.push(cardNumberIssue(context.value));
}

/** Control characters, line and paragraph separators, and characters that change the direction of text. */
const FORBIDDEN_IN_ALIAS = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** A visible character. */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}]/u;

/** The alias under which a bank knows a payee. A person must be able to read it. */
export function aliasUpTo(maximum: number, description?: string) {
  const visible = textUpTo(maximum, description).check((context) => {
    const detail = FORBIDDEN_IN_ALIAS.test(context.value)
      ? 'Contains a control character or one that changes the direction of text.'
      : VISIBLE.test(context.value)
        ? undefined
        : 'Expects something other than white space.';
    if (detail && context.value !== '') context.issues.push({ code: 'custom', input: context.value, message: detail });
  });
  return visible.check(refuseCardNumber);
}

function lengthFault(text: string, maximum: number): string | undefined {
  if (text.length > 0 && text.length <= maximum) return undefined;
  if (text.length > 0 && text.length <= 2 * maximum && [...text].length <= maximum) return undefined;
  return `Expects 1 to ${maximum} characters.`;
}

export const name = freeText(TEXT_LIMITS.name, 'For people.');
export const description = freeText(TEXT_LIMITS.description, 'For people.').nullable();
/** Of a payout alone: nothing else has a rail that carries it. */
export const carriedDescription = freeText(
  TEXT_LIMITS.description,
  'For people; travels with the money where the rail can carry it.',
).nullable();
export const externalId = freeText(
  TEXT_LIMITS.externalId,
  'Your own reference. Need not be unique; lists can be filtered by it.',
).nullable();

export const metadata = z
  .record(z.string(), z.string())
  .check((context) => {
    const entries = Object.entries(context.value);
    const { keys, key: keyMaximum, value: valueMaximum } = METADATA_LIMITS;
    if (entries.length > keys) {
      context.issues.push({ code: 'custom', input: context.value, message: `Expects at most ${keys} keys.` });
      return;
    }
    for (const [key, value] of entries) {
      const keyError = lengthFault(key, keyMaximum);
      if (keyError) context.issues.push({ code: 'custom', input: key, path: [key], message: `The name: ${keyError}` });
      const valueFault = value === '' ? undefined : lengthFault(value, valueMaximum);
      if (valueFault)
        context.issues.push({
          code: 'custom',
          input: value,
          path: [key],
          message: `Expects at most ${valueMaximum} characters.`,
        });
      // Nothing is searched before its length is accepted.
      if (!keyError && !valueFault && (hasCardNumber(key) || hasCardNumber(value)))
        context.issues.push(cardNumberIssue(value, [key]));
    }
  })
  .meta({
    maxProperties: METADATA_LIMITS.keys,
    propertyNames: { minLength: 1, maxLength: METADATA_LIMITS.key },
    additionalProperties: { type: 'string', maxLength: METADATA_LIMITS.value },
    description: `Your own facts: at most ${METADATA_LIMITS.keys} keys of ${METADATA_LIMITS.key} characters, values of ${METADATA_LIMITS.value}.`,
  });

/** An ISO 4217 code in which an account can be kept. */
export function currencyCode(expected: string) {
  const code = z.string().check((context) => {
    if (isCurrency(context.value)) return;
    context.issues.push({
      code: 'custom',
      input: context.value,
      message: `Expects ${expected}.`,
      params: { fieldError: 'currency_unsupported' },
    });
  });
  return refusedBy(code, 'currency_unsupported');
}

export const currency = currencyCode('an active ISO 4217 code in capitals, such as JOD').meta({
  pattern: '^[A-Z]{3}$',
  description:
    'An active currency of ISO 4217. Amounts are in its smallest unit: JPY has no decimals, EUR two, JOD three; `currency_exponent` of every answer says how many.',
  example: 'JOD',
});

/** The id of another object. Refuses an id of another kind here; whether the object exists is checked later. */
export function reference(kind: IdKind, description?: string) {
  return z
    .string()
    .transform((text, context): Uuid => {
      const id = parsePublicId(kind, text);
      if (id !== undefined) return id;
      context.issues.push({ code: 'custom', input: text, message: idExpected(kind) });
      return z.NEVER;
    })
    .meta({ type: 'string', pattern: idPattern(kind), description, example: exampleId(kind) });
}

/** The id of an object of any of these resources. A refusal names all of them: `the id of a payout or a return`. */
export function objectReference(resources: readonly DeclaredResource[], description: string) {
  const known = inOrder(resources);
  const kinds = known.map(({ name }) => kindOf(name));
  const example = exampleId(kinds[0]!);
  return z
    .string()
    .transform((text, context): Uuid => {
      for (const kind of kinds) {
        const id = parsePublicId(kind, text);
        if (id !== undefined) return id;
      }
      context.issues.push({
        code: 'custom',
        input: text,
        message: `Expects the id of ${anyOf(known)}, such as ${example}.`,
      });
      return z.NEVER;
    })
    .meta({ type: 'string', description, example });
}

/** A path may name a version by its number in its parent. */
export const VERSION_NUMBER = '[1-9][0-9]{0,8}';
const WHOLE_VERSION_NUMBER = new RegExp(`^${VERSION_NUMBER}$`);

export function isVersionNumber(text: string): boolean {
  return WHOLE_VERSION_NUMBER.test(text);
}

/** The detail for a text that is no id of a kind. */
export function idExpected(kind: IdKind): string {
  return `Expects an id with the prefix ${ID_PREFIXES[kind]}_, such as ${exampleId(kind)}.`;
}

/** One example id per kind, the same everywhere in the reference. */
export function exampleId(kind: IdKind): string {
  return `${ID_PREFIXES[kind]}_01k5c2r3v8e9m0x6y7z4a1b2cd`;
}

/** A day of the calendar: 29 February only in a leap year. */
export const day = z.iso
  .date({ error: 'Expects a day of the calendar, such as 2026-03-01.' })
  .refine((text) => text >= '0001-01-01', { error: 'Expects a day from 0001-01-01 on.' })
  .meta({ type: 'string', format: 'date', example: '2026-03-01' });
