import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Actor, encodeActor, type OwnerKind, parseActor, viewOfActor } from '../../../src/values/actor.ts';
import { publicId } from '../../../src/values/ids.ts';

const ID = '018f4d3e-7b2a-7000-8000-00000000000a';
const KEY = '018f4d3e-7b2a-7000-8000-00000000000b';
const PERSON = publicId('person', ID);
const SERVICE = publicId('service', ID);
const SHOWN_KEY = publicId('apiKey', KEY);

const ofKey = (type: OwnerKind): Actor => ({ type, id: ID, keyId: KEY });
const operator: Actor = { type: 'operator', name: 'alice' };
const system = (part: string | null): Actor => ({ type: 'system', part });

describe('an actor', () => {
  test.each`
    text                                 | actor                      | shown
    ${`person:${PERSON}:${SHOWN_KEY}`}   | ${ofKey('person')}         | ${['person', PERSON, SHOWN_KEY]}
    ${`service:${SERVICE}:${SHOWN_KEY}`} | ${ofKey('service')}        | ${['service', SERVICE, SHOWN_KEY]}
    ${'operator:alice'}                  | ${operator}                | ${['operator', 'alice', null]}
    ${'system'}                          | ${system(null)}            | ${['system', null, null]}
    ${'worker:ledger'}                   | ${system('worker:ledger')} | ${['system', 'worker:ledger', null]}
    ${'rail:sandbox'}                    | ${system('rail:sandbox')}  | ${['system', 'rail:sandbox', null]}
  `('$text is $shown, and is kept as that text', ({ text, actor, shown }) => {
    expect(encodeActor(actor)).toBe(text);
    expect(parseActor(text)).toEqual(actor);
    const [type, id, key] = shown;
    expect(viewOfActor(parseActor(text), new Map())).toEqual({ type, id, key });
  });

  test("keeps a colon of an operator's name", () => {
    const actor: Actor = { type: 'operator', name: 'ops: night shift' };
    expect(parseActor(encodeActor(actor))).toEqual(actor);
  });

  test('survives its text', () => {
    const ofAnyKey = fc.record({ type: fc.constantFrom('person', 'service'), id: fc.uuid(), keyId: fc.uuid() });
    const anyOperator = fc.record({ type: fc.constant('operator'), name: fc.string() });
    fc.assert(
      fc.property(fc.oneof(ofAnyKey, anyOperator) as fc.Arbitrary<Actor>, (actor) => {
        expect(parseActor(encodeActor(actor))).toEqual(actor);
      }),
    );
  });
});

describe('a key of release 0.2.0', () => {
  const text = `api_key:${SHOWN_KEY}`;
  const owned = (kind: OwnerKind) => new Map([[KEY, { kind, id: ID }]]);

  test.each`
    owner        | owners              | shown
    ${'person'}  | ${owned('person')}  | ${['person', PERSON, SHOWN_KEY]}
    ${'service'} | ${owned('service')} | ${['service', SERVICE, SHOWN_KEY]}
    ${'nobody'}  | ${new Map()}        | ${['service', null, SHOWN_KEY]}
  `('that belongs to $owner is $shown', ({ owners, shown }) => {
    expect(parseActor(text)).toEqual({ type: 'api_key', keyId: KEY });
    const [type, id, key] = shown;
    expect(viewOfActor(parseActor(text), owners)).toEqual({ type, id, key });
  });
});

test.each`
  text
  ${''}
  ${'test'}
  ${'api_key:test'}
  ${`person:${SERVICE}:${SHOWN_KEY}`}
  ${`service:${SERVICE}`}
  ${`person:${PERSON}:${PERSON}`}
`('"$text" has no form of an owner, and is the part of the product of that name', ({ text }) => {
  expect(parseActor(text)).toEqual({ type: 'system', part: text });
});
