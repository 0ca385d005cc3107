/**
 * Three ledgers side by side: the reference, the pure core over a book in memory, and two committers, as of two
 * processes, on one book in a real Postgres. The first two carry out the requests of a step one by one, a committer all
 * at once.
 */

import fc from 'fast-check';
import { expect } from 'vitest';
import { EARLIEST_FORMS, type LedgerForms } from '../../src/db/forms.ts';
import type { Pool } from '../../src/db/pool.ts';
import { ApiError } from '../../src/errors/errors.ts';
import type { Finding } from '../../src/group/finding.ts';
import { GROUPS } from '../../src/groups.ts';
import { internalKey } from '../../src/idempotency/idempotency-key.ts';
import type { Command } from '../../src/ledger/command/command.ts';
import type { Committer } from '../../src/ledger/commit/committer.ts';
import { verifyDatabase } from '../../src/verify/verify-database.ts';
import { openBook, type TestBook } from '../support/book.ts';
import { MemoryBook, START } from '../support/memory-book.ts';
import { momentAt } from '../support/moment.ts';
import { readOpenItems } from '../support/open-items.ts';
import { commandOf, madeBy, saidOf } from './commands.ts';
import { type Compared, expectAsReference, expectInPostgres } from './compare.ts';
import { type Action, isRepetition, kindOf, type Repetition, requestOf } from './draw.ts';
import { Names } from './names.ts';
import type { AnyKind, Request } from './part.ts';
import { PARTS } from './parts.ts';
import { ReferenceBook } from './reference-book.ts';

export interface Step {
  /** How far the clock moves before the actions, possibly backwards. */
  readonly jumpMs: number;
  readonly actions: readonly (Action | Repetition)[];
}

interface Asked {
  readonly kind: AnyKind;
  readonly request: Request;
  readonly command: Command<unknown>;
}

export class ThreeLedgers {
  readonly #reference = new ReferenceBook(PARTS);
  readonly #memory: MemoryBook;
  readonly #names: Names;
  readonly #pool: Pool;
  readonly #books: readonly TestBook[];
  readonly #asked: Asked[] = [];
  readonly #compared: { reference: Compared; postgres: Compared } = {
    reference: { entries: 0, events: 0 },
    postgres: { entries: 0, events: 0 },
  };
  readonly #history: string[] = [];
  #steps = 0;
  /** How often each kind of request got each answer. */
  readonly seen = new Map<string, number>();

  private constructor(pool: Pool, memory: MemoryBook, books: readonly TestBook[]) {
    this.#pool = pool;
    this.#memory = memory;
    this.#books = books;
    this.#names = new Names(
      memory.book.id,
      PARTS.flatMap(({ chart = [] }) => chart),
    );
  }

  static async open(pool: Pool): Promise<ThreeLedgers> {
    let memory: MemoryBook | undefined;
    const clock = { now: () => memory?.now ?? START };
    const forms = { ...EARLIEST_FORMS };
    const first = await openBook({ database: pool, clock, forms });
    memory = new MemoryBook({ id: first.id }, forms);
    return new ThreeLedgers(pool, memory, [first, await openBook({ database: pool, clock, forms, bookId: first.id })]);
  }

  /** From now on entries of returns name the return, and events are kept in a form, in all three. */
  contract(): void {
    const forms: { -readonly [Form in keyof LedgerForms]: boolean } = this.#memory.forms;
    forms.returnsApart = true;
    forms.eventsDerived = true;
    this.#reference.returnsApart = true;
  }

  async take({ jumpMs, actions }: Step): Promise<void> {
    this.#memory.now = Math.max(this.#memory.now + jumpMs, START);
    this.#reference.now = this.#memory.now;
    const committer = this.#books[this.#steps++ % this.#books.length]!.committer;
    let batch: { command: Command<unknown>; answer: unknown }[] = [];
    for (const action of actions) {
      const asked = this.#ask(action);
      if (!asked) continue;
      const { kind, request } = asked;
      const isDry = kind.isDry?.(request) ?? false;
      // What goes behind others of the book would be carried out in another order.
      const isAlone = isDry || kind.isAlone?.(request) || asked.command.behind !== undefined;
      if (isAlone) {
        await this.#commit(committer, batch);
        batch = [];
      }
      const answer = this.#carryOut(asked);
      if (isDry) expect(await committer.preview(this.#memory.book.id, asked.command)).toEqual(answer);
      else batch.push({ command: asked.command, answer });
      if (isAlone) {
        await this.#commit(committer, batch);
        batch = [];
      }
    }
    await this.#commit(committer, batch);
  }

  /** `npm run verify` of the book finds nothing, but that holds of the test's own commands are of no group's rows. */
  async verify(): Promise<void> {
    const findings: Finding[] = [];
    const isOfTheTest = ({ check, ids }: Finding) => check.endsWith('.resource') && 'hold' in ids;
    const onFinding = (finding: Finding) => {
      if (!isOfTheTest(finding)) findings.push(finding);
    };
    await verifyDatabase(this.#pool, { groups: GROUPS, bookId: this.#memory.book.id, onFinding });
    expect(findings).toEqual([]);
    // Throws where they do not come to what stands on their accounts.
    await readOpenItems(this.#pool, this.#memory.book.id);
  }

  /** All requests so far, one a line, to explain a failure. */
  get history(): string {
    return this.#history.join('\n');
  }

  async close(): Promise<void> {
    await Promise.all(this.#books.map((book) => book.close()));
  }

  #ask(action: Action | Repetition): Asked | undefined {
    const real = { names: this.#names, memory: this.#memory };
    if (isRepetition(action)) {
      const earlier = this.#asked.at(-1 - (action.which % Math.max(this.#asked.length, 1)));
      if (!earlier || (action.do === 'repeat' && !earlier.kind.nameOf && !earlier.kind.readsAnew)) return earlier;
      return this.#remember({ ...earlier, command: commandOf(real, earlier.kind, earlier.request) });
    }
    const request = requestOf(this.#reference, action);
    if (!request) return undefined;
    const kind = kindOf(request.do);
    return this.#remember({ kind, request, command: commandOf(real, kind, request) });
  }

  #remember(asked: Asked): Asked {
    this.#asked.push(asked);
    return asked;
  }

  /**
   * Carries out a request in the reference and in memory. Returns memory's answer, which Postgres must give as well.
   */
  #carryOut({ kind, request, command }: Asked): unknown {
    this.#history.push(fc.stringify(request));
    const said = this.#reference.carryOut(kind, request, internalKey(command.id));
    const what = `${request.do} ${said.code ?? kind.stateOf?.(this.#reference, request) ?? said.status}`;
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
    const answer = kind.isDry?.(request)
      ? command.decide(this.#memory.state([command]), momentAt(this.#reference.moment)).answer
      : answerOf(() => this.#memory.answer(command));
    const made = answer instanceof ApiError ? undefined : madeBy(answer);
    if (made && said.resource) this.#bind(said.resource, made);
    for (const part of PARTS) part.nameRows?.({ memory: this.#memory, names: this.#names });
    expect(saidOf(answer, kind, this.#names)).toEqual(said);
    expectAsReference(this.#memory, this.#reference, { names: this.#names, compared: this.#compared.reference });
    return answer;
  }

  #bind(name: string, id: string): void {
    this.#names.bind(name, id);
    for (const part of PARTS) part.made?.({ memory: this.#memory, names: this.#names }, name, id);
  }

  async #commit(committer: Committer, batch: readonly { command: Command<unknown>; answer: unknown }[]): Promise<void> {
    if (batch.length === 0) return;
    const submitted = batch.map(({ command }) => committer.submit(this.#memory.book.id, command));
    const answers = submitted.map((answer) => answer.catch(refusalOf));
    expect(await Promise.all(answers)).toEqual(batch.map(({ answer }) => answer));
    await expectInPostgres(this.#pool, this.#memory, this.#compared.postgres);
  }
}

/** A refusal that is thrown, and so not stored, is an answer too. */
function answerOf(decide: () => unknown): unknown {
  try {
    return decide();
  } catch (error) {
    return refusalOf(error);
  }
}

function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
