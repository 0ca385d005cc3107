/** Controls: versions made, tried out, activated and retired, of cards, accounts and the program. */
import fc from 'fast-check';
import type { ControlsContent, Limit, LimitFilter } from '../../../../src/cards/controls/controls-content.ts';
import { cardControls, controlsInForce } from '../../../../src/cards/controls/controls-table.ts';
import { controlsActionCommand, controlsCommand } from '../../../../src/cards/controls/request-controls.ts';
import { type AnyKind, BY, draws, fromNewest, ifMatchOf, kind, maybe, type RealBook } from '../../part.ts';
import type { ReferenceBook } from '../../reference-book.ts';
import { accountAt } from '../accounts/drawn.ts';
import { type Content, type ReferenceLimit, SCOPES, type Scope, WINDOWS } from './purchase-limits.ts';
import type { Merchant } from './purchase-steps.ts';
import { ReferenceCards } from './reference-cards.ts';
import {
  type ActOnControls,
  type ControlsAction,
  type MakeControls,
  ReferenceControls,
  type ReferenceVersion,
} from './reference-controls.ts';

const { account, key, recent, seldom, ifMatch } = draws;

/** Amounts around what a card spends within some days. */
const limit = fc
  .record({
    window: fc.constantFrom('authorization' as const, ...WINDOWS, 'all_time' as const),
    amount: maybe(fc.integer({ min: 0, max: 4_000 }), { freq: 4 }),
    count: maybe(fc.integer({ min: 1, max: 8 }), { freq: 2 }),
    for: maybe(fc.constantFrom<Merchant>('grocer', 'restaurant', 'cash machine'), { freq: 2 }),
    netOfRefunds: fc.boolean(),
  })
  .map(({ window, amount, count, for: merchant, netOfRefunds }): ReferenceLimit => {
    const counts = window === 'authorization' ? null : count;
    const most = amount === null && counts === null ? 500 : amount;
    return {
      ...{ window, amount: most === null ? null : BigInt(most), count: counts === null ? null : BigInt(counts) },
      ...{ for: merchant, netOfRefunds: netOfRefunds && window === 'all_time' && most !== null },
    };
  });

export const controlsKinds: readonly AnyKind[] = [
  kind({
    do: 'make controls',
    weight: 4,
    draw: {
      key,
      scope: fc.constantFrom<Scope>(...SCOPES),
      card: recent,
      account,
      status: fc.constantFrom('draft' as const, 'shadow' as const, 'active' as const, 'active' as const),
      limits: fc.array(limit, { minLength: 1, maxLength: 3 }),
      blocksCash: seldom,
    },
    ask(book, { scope, card, account: at, status, limits, blocksCash }): MakeControls | undefined {
      const subject = subjectOf(book, { scope, card, account: at });
      return subject === undefined ? undefined : { scope, subject, status, content: { limits, blocksCash } };
    },
    expect: (book, asked) => book.of(ReferenceControls).make(asked),
    command({ memory, names }, { scope, subject, status, content }) {
      const subjectId = scope === 'program' ? memory.book.id : names.idOf(subject);
      const owner = {
        cardId: scope === 'card' ? subjectId : null,
        accountId: scope === 'account' ? subjectId : null,
      };
      return controlsCommand(
        { ...BY, status, content: contentOf(content) },
        { subject: { scope, subjectId, ...owner }, read: memory.rows(controlsInForce).get(subjectId) },
      );
    },
  }),
  kind({
    do: 'act on controls',
    weight: 4,
    draw: {
      key,
      version: recent,
      action: fc.constantFrom<ControlsAction>('shadow', 'activate', 'activate', 'retire'),
      ifMatch,
    },
    ask(book, { version: at, action, ifMatch: which }): ActOnControls | undefined {
      const known = fromNewest(book.of(ReferenceControls).all, at);
      return known && { controls: known.name, action, ...ifMatchOf(which, known.version) };
    },
    expect: (book, asked) => book.of(ReferenceControls).act(asked),
    readsAnew: true,
    stateOf: (book, { controls }) => book.of(ReferenceControls).named(controls).status,
    command({ memory, names }, { controls, action, ifMatch: version }) {
      const { id, subjectId } = memory.get(cardControls, names.idOf(controls));
      const read = memory.rows(controlsInForce).get(subjectId);
      return controlsActionCommand(action, { ...BY, controlsId: id, ifMatch: version }, { subjectId, read });
    },
  }),
];

function subjectOf(
  book: ReferenceBook,
  { scope, card, account: at }: { scope: Scope; card: number; account: number },
): string | undefined {
  if (scope === 'program') return 'the book';
  if (scope === 'card') return fromNewest([...book.of(ReferenceCards).all.keys()], card);
  const name = accountAt(book, at);
  // Whether there is one, the request finds out before it has a command.
  return book.accounts.has(name) ? name : undefined;
}

function contentOf({ limits, blocksCash }: Content): ControlsContent {
  return {
    limits: limits.map((one): Limit => ({ ...one, for: one.for && FILTERS[one.for] })),
    ...{ mcc: null, countries: null, merchants: null, entryModes: null },
    ...{ cash: blocksCash ? 'block' : null, requireThreeDSecureAbove: null },
  };
}

/** A filter of each kind. */
const FILTERS: Readonly<Record<Merchant, LimitFilter>> = {
  grocer: { merchants: ['grocer'] },
  restaurant: { mccs: ['5811-5813'] },
  'cash machine': { kinds: ['cash'] },
};

/** Versions, and what is in force. */
export const compareControls = {
  real: ({ memory, names }: RealBook) => ({
    versions: Object.fromEntries(
      [...memory.rows(cardControls).values()].map(({ id, scope, ordinal, status, version }) => [
        names.nameOf(id),
        { scope, ordinal, status, version },
      ]),
    ),
    inForce: Object.fromEntries(
      [...memory.rows(controlsInForce).values()].map(({ subjectId, versions, active, shadow }) => [
        subjectId === memory.book.id ? 'the book' : names.nameOf(subjectId),
        { versions, active: active && names.nameOf(active.id), shadow: shadow && names.nameOf(shadow.id) },
      ]),
    ),
  }),
  expected(book: ReferenceBook) {
    const controls = book.of(ReferenceControls);
    const subjects = [...new Set(controls.all.map(({ subject }) => subject))];
    const named = (subject: string, status: 'active' | 'shadow') => controls.enforced(subject, status)?.name ?? null;
    return {
      versions: Object.fromEntries(controls.all.map((version) => [version.name, shownVersion(version)])),
      inForce: Object.fromEntries(
        subjects.map((subject) => [
          subject,
          {
            ...{ versions: controls.of(subject).length, active: named(subject, 'active') },
            shadow: named(subject, 'shadow'),
          },
        ]),
      ),
    };
  },
};

function shownVersion({ scope, ordinal, status, version }: ReferenceVersion) {
  return { scope, ordinal, status, version };
}
