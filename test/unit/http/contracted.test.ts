/** What the release before does not have is refused until the contract: its declarations against the interface of that release. */
import { expect, test } from 'vitest';
import type { Route } from '../../../src/api/route.ts';
import { ApiError } from '../../../src/errors/errors.ts';
import { requireContracted, requireContractedMembers } from '../../../src/http/pipeline/contracted.ts';
import { buildOpenApi } from '../../../src/http/reference/openapi.ts';
import { EVENT_DOCUMENTS, ROUTES } from '../../../src/http/routes.ts';
import { isEarlierVersion, VERSION, VERSION_BEFORE } from '../../../src/process/version.ts';
// Operations of that release, each with the members of its request: its own document, read by `membersOf`.
import before from './interface-before.json' with { type: 'json' };

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const document = buildOpenApi({
  routes: ROUTES,
  events: EVENT_DOCUMENTS,
  publicUrl: 'http://localhost',
}) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** JSON pointers of the members of an object and of the objects in it; `[]` for an element. */
function membersOf({ $ref, ...schema }: Schema, pointer = '', seen: readonly string[] = []): string[] {
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1)!;
    return seen.includes(name) ? [] : membersOf(document.components.schemas[name]!, pointer, [...seen, name]);
  }
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const found = [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
      `${pointer}/${name}`,
      ...membersOf(member, `${pointer}/${name}`, seen),
    ]),
    ...(schema.items ? membersOf(schema.items, `${pointer}[]`, seen) : []),
    ...parts.flatMap((part) => membersOf(part, pointer, seen)),
  ];
  return [...new Set(found)];
}

const operations = new Map(
  Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((one): [string, Operation] => [one.operationId, one]),
  ),
);
const known: Readonly<Record<string, readonly string[]>> = before.operations;
const routeOf = (operation: string) => ROUTES.find((route) => route.operation === operation)!;

test('the recorded interface is that of the release before', () => {
  expect(before.release).toBe(VERSION_BEFORE);
});

test('an operation that the release before does not have says since when it exists, and no other does', () => {
  const later = ROUTES.filter(({ since }) => since !== undefined && isEarlierVersion(VERSION_BEFORE, since));
  expect(later.map(({ operation }) => operation).sort()).toEqual(
    ROUTES.map(({ operation }) => operation)
      .filter((operation) => !Object.hasOwn(known, operation))
      .sort(),
  );
});

test.each(Object.keys(known))('members of the request of %s that came later say since when they exist', (operation) => {
  const content = Object.values(operations.get(operation)?.requestBody?.content ?? {});
  const declared = Object.values(routeOf(operation).membersSince ?? {}).flat();
  const later = content
    .flatMap(({ schema }) => membersOf(schema))
    .filter((member) => !known[operation]!.includes(member));
  const isInOne = (member: string) => declared.some((pointer) => member.startsWith(`${pointer}/`));
  expect(later.filter((member) => !isInOne(member)).sort()).toEqual([...declared].sort());
});

const refusalOf = (work: () => void): ApiError | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
};

test.each`
  since        | contractedTo | answer
  ${undefined} | ${'0.3.0'}   | ${undefined}
  ${'0.3.0'}   | ${'0.3.0'}   | ${undefined}
  ${'0.4.0'}   | ${'0.3.0'}   | ${'service_unavailable'}
  ${'0.4.0'}   | ${VERSION}   | ${undefined}
  ${'0.4.0'}   | ${'0.10.0'}  | ${undefined}
`('an operation since $since answers $answer where the contract is to $contractedTo', (row) => {
  const route = { operation: 'createCard', since: row.since };
  expect(refusalOf(() => requireContracted(route, { contractedTo: row.contractedTo }))?.code).toBe(row.answer);
});

test('the refusal names what, until when, and the remedy', () => {
  const refusal = refusalOf(() => requireContracted(routeOf('createCard'), { contractedTo: '0.3.0' }))!;
  expect(refusal.message).toContain('createCard exists since release 0.4.0');
  expect(refusal.message).toContain('npm run migrate -- --contract');
  expect(refusal.headers).toEqual({ 'Retry-After': '60' });
});

test.each`
  body                                                    | contractedTo | param
  ${{ amount: 1, destination: { type: 'cliq' } }}         | ${'0.3.0'}   | ${undefined}
  ${{ amount: 1, scheduled_for: '2027-01-01T00:00:00Z' }} | ${'0.3.0'}   | ${'/scheduled_for'}
  ${{ destination: { type: 'iban', iban: 'JO94' } }}      | ${'0.3.0'}   | ${'/destination/iban'}
  ${{ destination: 'text' }}                              | ${'0.3.0'}   | ${undefined}
  ${{ scheduled_for: '2027-01-01T00:00:00Z' }}            | ${VERSION}   | ${undefined}
`('of $body, $param is refused where the contract is to $contractedTo', ({ body, contractedTo, param }) => {
  const route: Pick<Route, 'membersSince'> = routeOf('createPayout');
  const refusal = refusalOf(() => requireContractedMembers(route, body, { contractedTo }));
  expect(refusal?.fieldErrors[0]?.param).toBe(param);
});
