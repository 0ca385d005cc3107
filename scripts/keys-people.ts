/**
 * `npm run keys -- person|people|end`: people who own keys, and the organisation whose books a key opens.
 *
 * The operator's books are opened with --operator alone, never by name, so that no customer's name leads there. A key that
 * could write anything would open accounts in books that mirror the customers'. So such a key reads, and works on the
 * journal, reports, exceptions and reconciliations alone (requireScopesOfOperator).
 */
import Table from 'cli-table3';
import { type Command, Option } from 'commander';
import type { Pool } from '../src/db/pool.ts';
import type { Mode } from '../src/ledger/book/book.ts';
import { adoptKeys } from '../src/organisations/adopt-keys.ts';
import { EVERY_SCOPE, parseScopes, requireScopesOfOperator, SCOPES } from '../src/organisations/api-key.ts';
import { endPerson } from '../src/organisations/end-person.ts';
import { openOrganisation } from '../src/organisations/open-organisation.ts';
import type { Organisation } from '../src/organisations/organisation.ts';
import { findOperatorOrganisation } from '../src/organisations/organisation-store.ts';
import { newPerson, shownPersonId } from '../src/organisations/person.ts';
import { findPerson, insertPeople, type ListedPerson, listPeople } from '../src/organisations/person-store.ts';
import { formatInstant, formatInstantOrNull, systemClock } from '../src/values/clock.ts';
import { publicId, type Uuid } from '../src/values/ids.ts';
import { parseName, parsePersonId } from './keys-options.ts';

type WithDatabase = (work: (pool: Pool) => Promise<void>) => Promise<void>;

interface OfOrganisation {
  organisation?: string;
  operator?: boolean;
}

const PAGE = 500;
const READING = SCOPES.filter((scope) => scope.endsWith(':read'));

export function organisationOption(description: string): Option {
  return new Option('--organisation <name>', description).argParser(parseName).conflicts('operator');
}

/** The named organisation, made if absent, or the operator's. */
export async function organisationOf(pool: Pool, { organisation, operator }: OfOrganisation): Promise<Organisation> {
  if (organisation !== undefined) return openOrganisation(pool, { name: organisation, clock: systemClock });
  if (!operator) throw new Error('Say whose it is: --organisation NAME, or --operator.');
  const found = await findOperatorOrganisation(pool);
  if (!found) throw new Error('The operator has no organisation yet: run `npm run migrate`.');
  return found;
}

/** The scopes of a new key; by default all, and in the operator's books those that read. Throws ApiKeyRuleBroken. */
export function scopesFor({
  scopes,
  operator = false,
  mode,
}: {
  scopes?: readonly string[];
  operator?: boolean;
  mode: Mode;
}): readonly string[] {
  const wanted = parseScopes(scopes ?? (operator ? READING : [EVERY_SCOPE]));
  if (operator) requireScopesOfOperator(wanted, mode);
  return wanted;
}

export function addPeopleCommands(program: Command, withDatabase: WithDatabase): void {
  program
    .command('person')
    .description('add a person, whose keys are made with `create --person`; the organisation is made too')
    .argument('<name>', 'as colleagues call the person', parseName)
    .addOption(organisationOption('where the person works'))
    .option('--operator', 'the person works for the operator')
    .option('--json', 'print one JSON object')
    .action((name: string, options: OfOrganisation & { json?: boolean }) =>
      withDatabase(async (pool) => {
        const { id } = await organisationOf(pool, options);
        const person = newPerson(id, name, systemClock.now());
        await insertPeople(pool, [person]);
        if (options.json) console.log(JSON.stringify({ id: shownPersonId(person), type: person.kind, name }));
        else console.log(`${shownPersonId(person)} is ${name}.`);
      }),
    );

  program
    .command('people')
    .description('show people and services')
    .option('--organisation <name>', 'of this organisation alone')
    .option('--json', 'print one JSON object a line')
    .action(({ organisation, json }: { organisation?: string; json?: boolean }) =>
      withDatabase(async (pool) => {
        await adoptKeys(pool);
        const people: ListedPerson[] = [];
        for (let after: ListedPerson | undefined; ; after = people.at(-1)) {
          const page = await listPeople(pool, {
            organisationName: organisation,
            now: systemClock.now(),
            after,
            limit: PAGE,
          });
          people.push(...page);
          if (page.length < PAGE) break;
        }
        if (json) for (const person of people) console.log(JSON.stringify(viewOf(person)));
        else console.log(people.length > 0 ? tableOf(people) : 'There is nobody yet: npm run keys -- person NAME');
      }),
    );

  program
    .command('end')
    .description('a person leaves: their keys are revoked now, and none can be made')
    .argument('<id>', 'person_…, as `people` shows it', parsePersonId)
    .option('--json', 'print one JSON object')
    .action((id: Uuid, { json }: { json?: boolean }) =>
      withDatabase(async (pool) => {
        const shownId = publicId('person', id);
        if ((await findPerson(pool, id))?.kind !== 'person')
          throw new Error(`There is no person ${shownId}. \`npm run keys -- people\` shows them.`);
        const { changed, revokedKeys } = await endPerson(pool, systemClock, id);
        if (json) console.log(JSON.stringify({ id: shownId, ended: true, changed, revoked_keys: revokedKeys }));
        else console.log(changed ? `Ended ${shownId}. Keys revoked: ${revokedKeys}.` : `${shownId} had ended before.`);
      }),
    );
}

function viewOf(person: ListedPerson) {
  return {
    id: shownPersonId(person),
    organisation: person.organisationName,
    type: person.kind,
    name: person.name,
    valid_keys: person.validKeys,
    created_at: formatInstant(person.createdAt),
    ended_at: formatInstantOrNull(person.endedAt),
  };
}

function tableOf(people: readonly ListedPerson[]): string {
  const head = ['id', 'organisation', 'type', 'name', 'valid keys', 'ended'];
  const table = new Table({ head, ...(process.stdout.isTTY ? {} : { style: { head: [], border: [] } }) });
  for (const view of people.map(viewOf))
    table.push([view.id, view.organisation, view.type, view.name ?? '', view.valid_keys, view.ended_at ?? '']);
  return table.toString();
}
