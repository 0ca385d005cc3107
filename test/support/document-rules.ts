/**
 * Rules of the OpenAPI document that keep clients working, which generators of several languages make of it: docs/clients.md.
 * Each rule returns the places that break it.
 */
import { WORDS_OF_LANGUAGES } from './words-of-languages.ts';

type Json = Record<string, unknown>;

/** The parts of a schema that rules read. */
export interface Schema {
  readonly [member: string]: unknown;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly oneOf?: readonly { readonly $ref?: string }[];
  readonly anyOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
}

interface Parameter extends Json {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

interface Operation extends Json {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, Json>>;
  readonly callbacks?: Readonly<Record<string, Readonly<Record<string, { readonly post: Operation }>>>>;
}

export interface RuledDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** What a client sends, and what it reads. */
type Side = 'sent' | 'read';

interface Place {
  readonly side: Side;
  readonly at: string;
  readonly schema: Schema;
}

export type Rule = (document: RuledDocument) => string[];

export const RULES: Readonly<Record<string, Rule>> = {
  'no schema is named like a word of a language'({ components }) {
    return Object.keys(components.schemas ?? {}).filter((name) => WORDS_OF_LANGUAGES.has(name.toLowerCase()));
  },

  'no boolean is constant'(document) {
    return places(document)
      .filter(({ schema }) => typesOf(schema).includes('boolean') && ('const' in schema || 'enum' in schema))
      .map(({ at }) => at);
  },

  'no member or parameter of a request has a default'(document) {
    return places(document)
      .filter(({ side, schema }) => side === 'sent' && 'default' in schema)
      .map(({ at }) => at);
  },

  'what a client reads is open: texts without enumeration, form or length'(document) {
    const variants = discriminatorsOf(document);
    return places(document)
      .filter(({ side }) => side === 'read')
      .filter(({ at, schema }) => {
        const isConstant = variants.has(at) || (at.endsWith('.object') && schema.enum?.length === 1);
        const isUnion = schema.anyOf !== undefined && !isOneOrNull(schema.anyOf);
        return isUnion || CLOSED_BY.some((word) => word in schema && !(word === 'enum' && isConstant));
      })
      .map(({ at }) => at);
  },

  'an open enumeration is a text with its values beside it'(document) {
    return places(document)
      .filter(({ schema }) => 'x-extensible-enum' in schema)
      .filter(({ side, schema }) => side === 'sent' || !typesOf(schema).includes('string'))
      .map(({ at }) => at);
  },

  'a variant of a union has its constants under the discriminator'(document) {
    return unionsOf(document).flatMap(({ at, schema: { oneOf = [], discriminator } }) => {
      if (discriminator === undefined) return [at];
      return oneOf.flatMap(({ $ref = '' }) => {
        const mapped = Object.keys(discriminator.mapping).filter((value) => discriminator.mapping[value] === $ref);
        const constants = named(document, $ref)?.properties?.[discriminator.propertyName]?.enum ?? [];
        const isSame = mapped.length > 0 && mapped.sort().join() === [...constants].sort().join();
        return isSame ? [] : [`${at} ${$ref}`];
      });
    });
  },

  'what a client sends is closed: no object takes other members'(document) {
    return places(document)
      .filter(({ side, schema }) => side === 'sent' && typesOf(schema).includes('object'))
      .filter(({ schema }) => (schema.additionalProperties ?? true) === true)
      .map(({ at }) => at);
  },

  'no schema is both sent and read'(document) {
    const read = new Set(schemasOn(document, 'read'));
    return schemasOn(document, 'sent').filter((name) => read.has(name));
  },

  'no parameter is an object of fixed members'(document) {
    return operationsOf(document).flatMap(({ operationId, parameters = [] }) =>
      parameters.filter(({ schema }) => schema.properties !== undefined).map(({ name }) => `${operationId} ${name}`),
    );
  },

  'no two schemas get one name'(document) {
    const classes = places(document).filter(({ schema }) => typesOf(schema).includes('object') || 'oneOf' in schema);
    const inline = [...new Set(classes.map(({ at }) => at))].filter((at) => at.includes('.'));
    const names = [...Object.keys(document.components.schemas ?? {}), ...inline.map(generatedName)];
    return inline.filter((at) => names.filter((name) => name === generatedName(at)).length > 1);
  },

  'a constant has a name in every language'(document) {
    // A star has one in each: EventFilterInput.
    const isNameless = (value: unknown) => typeof value === 'string' && !/[\p{L}\p{N}*]/u.test(value);
    return places(document)
      .filter(({ schema }) => schema.enum?.some(isNameless))
      .map(({ at }) => at);
  },

  'no enumeration in place is named default'(document) {
    return places(document)
      .filter(({ at, schema }) => at.endsWith('.default') && 'enum' in schema)
      .map(({ at }) => at);
  },

  'headers and problems stand once, in the components'({ paths, components }) {
    const all = [
      ...Object.values(paths).flatMap((methods) =>
        Object.values(methods).flatMap(({ operationId, responses }) =>
          Object.entries(responses).map(([status, answer]) => ({ at: `${operationId} ${status}`, status, answer })),
        ),
      ),
      ...Object.entries(components.responses ?? {}).map(([at, answer]) => ({ at, status: '', answer })),
    ];
    const faults = all.filter(({ status, answer }) => {
      const isProblem = Number(status) >= 400;
      const headers = Object.values((answer.headers ?? {}) as Record<string, Json>);
      return (isProblem && !('$ref' in answer)) || headers.some((header) => !('$ref' in header));
    });
    const repeated = ['responses', 'headers'].flatMap((kind) => repeatedIn(components[kind] ?? {}));
    return [...faults.map(({ at }) => at), ...repeated];
  },
};

const CLOSED_BY = ['enum', 'const', 'default', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'maxItems'];

/** The name of a schema without one: its place, `CreateCard.controls` as CreateCardControls. */
function generatedName(at: string): string {
  return at.replace(/(^|[._])(\w)/g, (_, _mark, first: string) => first.toUpperCase());
}

function repeatedIn(parts: Readonly<Record<string, Json>>): string[] {
  const forms = Object.values(parts).map((part) => JSON.stringify(part));
  return Object.keys(parts).filter((_, at) => forms.indexOf(forms[at]!) !== at);
}

function isOneOrNull(choices: readonly Schema[]): boolean {
  return choices.length === 2 && choices[1]!.type === 'null' && choices[0]!.$ref !== undefined;
}

function typesOf({ type }: Schema): readonly string[] {
  return [type ?? []].flat() as string[];
}

function operationsOf({ paths }: RuledDocument): Operation[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods));
}

/** Bodies and parameters of requests are sent; answers, and the bodies of webhooks, are read. */
function rootsOf(document: RuledDocument): { side: Side; at: string; value: unknown }[] {
  const { webhooks, components } = document;
  const ofOperations = operationsOf(document).flatMap(
    ({ operationId: at, parameters, requestBody, responses, callbacks }) => [
      ...(parameters ?? []).map(({ name, schema }) => ({ side: 'sent' as const, at: `${at}.${name}`, value: schema })),
      { side: 'sent' as const, at, value: requestBody },
      ...Object.values(responses).map(({ content }) => ({ side: 'read' as const, at, value: content })),
      ...Object.values(callbacks ?? {})
        .flatMap((urls) => Object.values(urls))
        .map(({ post }) => ({ side: 'read' as const, at, value: post.requestBody })),
    ],
  );
  const problems = Object.entries(components.responses ?? {}).map(([at, { content }]) => ({
    side: 'read' as const,
    at,
    value: content,
  }));
  const events = Object.entries(webhooks).map(([at, { post }]) => ({
    side: 'read' as const,
    at,
    value: post.requestBody,
  }));
  return [...ofOperations, ...problems, ...events];
}

/** Every schema on its side, each named one once, with its place: `Payout.status`. */
function places(document: RuledDocument): Place[] {
  const found: Place[] = [];
  const seen = new Set<string>();
  for (const { side, at, value } of rootsOf(document)) walk(document, value, side, at, found, seen);
  return found;
}

function walk(
  document: RuledDocument,
  value: unknown,
  side: Side,
  at: string,
  found: Place[],
  seen: Set<string>,
): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as Schema;
  if (typeof schema.$ref === 'string') {
    const name = nameOf(schema.$ref);
    const key = `${side} ${name}`;
    if (seen.has(key)) return;
    seen.add(key);
    walk(document, named(document, schema.$ref), side, name, found, seen);
    return;
  }
  if ('type' in schema || 'oneOf' in schema || 'anyOf' in schema) found.push({ side, at, schema });
  for (const [member, inner] of Object.entries(schema)) {
    if (['example', 'examples', 'enum', 'x-extensible-enum', 'discriminator'].includes(member)) continue;
    if (member === 'properties')
      for (const [name, property] of Object.entries(inner as object))
        walk(document, property, side, `${at}.${name}`, found, seen);
    else walk(document, inner, side, at, found, seen);
  }
}

function unionsOf(document: RuledDocument): Place[] {
  return places(document).filter(({ schema }) => Array.isArray(schema.oneOf));
}

/** The places of what tells variants of unions: `CliqDestination.type`. */
function discriminatorsOf(document: RuledDocument): Set<string> {
  return new Set(
    unionsOf(document).flatMap(({ schema: { oneOf = [], discriminator } }) =>
      oneOf.map(({ $ref = '' }) => `${nameOf($ref)}.${discriminator?.propertyName}`),
    ),
  );
}

function schemasOn(document: RuledDocument, side: Side): string[] {
  const names = places(document)
    .filter((place) => place.side === side)
    .map(({ at }) => at.split('.')[0]!);
  return [...new Set(names)].filter((name) => name in (document.components.schemas ?? {}));
}

function nameOf(reference: string): string {
  return reference.replace('#/components/schemas/', '');
}

function named({ components }: RuledDocument, reference: string): Schema | undefined {
  return components.schemas?.[nameOf(reference)] as Schema | undefined;
}
