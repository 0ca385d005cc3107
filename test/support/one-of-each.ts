/** A book with an object of each kind, for what holds of every route. */

import type { Client } from '../../scripts/harness/client.ts';
import type { OrganisationKeys } from '../../scripts/harness/organisation.ts';
import type { Route } from '../../src/api/route.ts';
import { EVERY_SCOPE, MAKES_KEYS } from '../../src/organisations/api-key.ts';
import type { IdKind } from '../../src/values/ids.ts';
import type { Objects } from '../e2e/transcript/groups/group.ts';
import { GROUPS_ON_WIRE } from '../e2e/transcript/groups/groups.ts';
import type { Product } from './product.ts';

/** Public ids by kind. */
export type OneOfEach = Readonly<Partial<Record<IdKind, string>> & { account: string; payout: string; text: string }>;

export async function oneOfEach(product: Product, keys: OrganisationKeys): Promise<OneOfEach> {
  const client = product.client(keys.testKey);
  let made: Objects = {};
  for (const { objects } of GROUPS_ON_WIRE) made = { ...made, ...(await objects?.({ product, keys, client, made })) };
  return made as OneOfEach;
}

/** By operation, bodies that name these objects and this person. */
export function bodiesOf(made: OneOfEach, person: string): Readonly<Record<string, unknown>> {
  return Object.assign({}, ...GROUPS_ON_WIRE.map(({ bodies }) => bodies?.({ made, person })));
}

/** The route's path with ids of these objects. */
export function pathOf({ path, params = {} }: Route, ids: OneOfEach): string {
  return path.replace(/:(\w+)/g, (_, name: string) => ids[params[name]!]!);
}

/** A client that may call the route: every scope does not stand for the one that makes keys. */
export async function clientFor({ scope }: Route, product: Product, keys: OrganisationKeys): Promise<Client> {
  if (scope !== MAKES_KEYS) return product.client(keys.testKey);
  return product.clientWith({ bookId: keys.testBookId, mode: 'test', scopes: [EVERY_SCOPE, MAKES_KEYS] });
}
