/** A bank of the iso20022 rail for tests: its folders, its settings, and the rail over a test database. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { until } from '../../scripts/harness/until.ts';
import { createPool, type Pool } from '../../src/db/pool.ts';
import { createSecretBox } from '../../src/db/secret-box.ts';
import { operatorBooks } from '../../src/organisations/organisation-store.ts';
import { keptBackOf } from '../../src/payouts/pauses/pause.ts';
import { readPauses } from '../../src/payouts/pauses/pause-store.ts';
import type { BankSettings } from '../../src/rails/iso20022/bank-settings.ts';
import { Iso20022Rail } from '../../src/rails/iso20022/iso20022-rail.ts';
import type { Instruction } from '../../src/rails/rail.ts';
import { type Clock, systemClock } from '../../src/values/clock.ts';
import { newId } from '../../src/values/ids.ts';
import { TEST_IBAN } from './bank-files.ts';
import type { TestDatabase } from './postgres.ts';

const FOLDERS = ['outbox', 'inbox', 'staging', 'sent', 'done', 'quarantine'] as const;
type Folder = (typeof FOLDERS)[number];

/** What a process needs to be the same rail. */
export interface BankOfTest {
  readonly databaseUrl: string;
  readonly encryptionKey: string;
  readonly settings: BankSettings;
}

/** How a round in a process of its own has ended. */
export interface WorkEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly errors: string;
}

/** The rail of a process. `close` ends its connections. */
export function openRail(
  { databaseUrl, encryptionKey, settings }: BankOfTest,
  clock: Clock = systemClock,
  limits?: { readonly callTimeoutMs: number },
): { rail: Iso20022Rail; pool: Pool } {
  const pool = createPool({ url: databaseUrl, name: 'test-bank', size: 4, log: pino({ level: 'silent' }) });
  const rows = operatorBooks(pool).then((books) => ({ bookId: books[settings.mode], rail: settings.name }));
  rows.catch(() => undefined);
  const secretBox = createSecretBox(encryptionKey);
  const keptBack = async () => keptBackOf(await readPauses(pool), settings.name);
  const bank = { settings, pool, clock, secretBox, rows: () => rows, keptBack };
  return { rail: new Iso20022Rail(bank, limits), pool };
}

export class TestBank {
  readonly of: BankOfTest;
  readonly rail: Iso20022Rail;
  readonly pool: Pool;
  readonly #root = mkdtempSync(join(tmpdir(), 'bank-'));

  constructor(database: TestDatabase, change: Partial<BankSettings> = {}, clock: Clock = systemClock) {
    const path = (name: Folder) => join(this.#root, name);
    for (const name of FOLDERS) mkdirSync(path(name));
    const folders = Object.fromEntries(FOLDERS.map((name) => [name, path(name)])) as unknown as BankSettings['folders'];
    const settings: BankSettings = {
      name: `bank${newId().slice(-6)}`,
      mode: 'live',
      currencies: ['EUR'],
      debtor: { name: 'Countinghouse GmbH', iban: TEST_IBAN, bic: 'BKAUATWW' },
      accounts: [{ iban: TEST_IBAN, reportedAs: [] }],
      profile: 'iso',
      characters: 'epc',
      needsAddress: false,
      batchBooking: null,
      paidByStatus: false,
      folders,
      file: { paymentsMax: 1_000, ageMaxMs: 0 },
      schedule: { timeZone: 'Europe/Vienna', calendar: 'target2', cutOff: '16:00', holidays: [], daysToArrive: 1 },
      inboxRestsMs: 0,
      silentAfterDays: 2,
      ...change,
    };
    this.of = { databaseUrl: database.applicationUrl, encryptionKey: database.encryptionKey, settings };
    const { rail, pool } = openRail(this.of, clock);
    this.rail = rail;
    this.pool = pool;
  }

  list(folder: Folder): string[] {
    return readdirSync(join(this.#root, folder)).sort();
  }

  read(folder: Folder, name: string): string {
    return readFileSync(join(this.#root, folder, name), 'utf8');
  }

  /** The bank takes what is in the outbox. */
  takeAll(): void {
    for (const name of this.list('outbox')) rmSync(join(this.#root, 'outbox', name));
  }

  remove(folder: Folder, name: string): void {
    rmSync(join(this.#root, folder, name));
  }

  write(folder: Folder, name: string, content: string | Buffer): void {
    writeFileSync(join(this.#root, folder, name), content);
  }

  path(folder: Folder, name: string): string {
    return join(this.#root, folder, name);
  }

  /** The bank puts a file into the inbox, whole: by a rename. */
  send(name: string, content: string): void {
    this.write('staging', `bank-${name}`, content);
    renameSync(this.path('staging', `bank-${name}`), this.path('inbox', name));
  }

  /** One round in a process of its own. Resolves to how it ended. */
  workElsewhere(failpoints: string): {
    readonly ended: Promise<WorkEnd>;
    /** Lets one that stops itself go on. What it does before its stop is seen before it has stopped: the signal is repeated until it ends. */
    resume(): Promise<WorkEnd>;
  } {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', join(import.meta.dirname, 'bank-worker.ts'), JSON.stringify(this.of)],
      { env: { ...process.env, COUNTINGHOUSE_FAILPOINTS: failpoints }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let errors = '';
    child.stderr.on('data', (chunk) => (errors += chunk));
    const ended = new Promise<WorkEnd>((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal, errors })),
    );
    const resume = async () => {
      await until(() => !child.kill('SIGCONT'));
      return ended;
    };
    return { ended, resume };
  }

  async close(): Promise<void> {
    await this.pool.end();
    rmSync(this.#root, { recursive: true });
  }
}

/** An instruction to pay somebody at an IBAN. */
export function toIban(amount: bigint, change: Partial<Instruction> = {}): Instruction {
  return {
    originator: newId(),
    endToEndId: `CH${newId().replaceAll('-', '').toUpperCase()}0`,
    destination: {
      type: 'iban',
      iban: 'DE89370400440532013000',
      name: 'Jana Müller',
      bic: null,
      address: null,
    },
    account: null,
    amount,
    currency: 'EUR',
    notAfter: Date.now() + 3_600_000,
    ...change,
  };
}
