/** An import of opening balances whose API dies, and that is killed itself: run once more, it books what is left and nothing twice. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BookId } from '../../src/ledger/book/book.ts';
import { ROOT } from '../harness/build.ts';
import { isRunning } from '../harness/child-process.ts';
import type { Client } from '../harness/client.ts';
import { programOf } from '../harness/programs.ts';
import { countOpened } from './report-records-store.ts';
import { expectThat, untilThat } from './scenario.ts';
import type { Stage } from './stage.ts';

export interface OwnBook {
  readonly id: BookId;
  /** Of a person. */
  readonly key: string;
  readonly clients: readonly Client[];
  /** Opens an own account of assets. */
  open(code: string): Promise<string>;
  head(): Promise<number>;
}

/** An account each: nine requests, and within the accounts that a book may have. */
const LINES = 900;
/** Accounts opened at a time. */
const AT_ONCE = 20;
const BOOKED = 0;
/** Behind it, the code of an account has what is booked on it. */
const OPENED = 'opened-';

export async function playImport(stage: Stage, book: OwnBook): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countinghouse-import-'));
  stage.keepFolder(folder);
  const file = join(folder, 'opening.csv');
  const codes = Array.from({ length: LINES }, (_, at) => `${OPENED}${1 + at}`);
  for (let from = 0; from < LINES; from += AT_ONCE) await Promise.all(codes.slice(from, from + AT_ONCE).map(book.open));
  const lines = [...codes.map((code, at) => `${code},JOD,${1 + at}`), `TOTAL,JOD,${(LINES * (LINES + 1)) / 2}`];
  writeFileSync(file, ['account,currency,amount', ...lines, ''].join('\n'));
  const before = await book.head();
  const [victim, other] = stage.apis;

  const first = startImport(book, victim!.url, file);
  await untilBooked(book, first, before);
  await victim!.kill();
  const code1 = await first.ended;
  expectThat(code1 !== BOOKED, `An import whose API died ended with ${code1}`);
  const reached = await book.head();

  const second = startImport(book, other!.url, file);
  await untilBooked(book, second, reached);
  second.child.kill('SIGKILL');
  await second.ended;
  await victim!.start();
  const left = LINES - ((await book.head()) - before);
  expectThat(left > 0, 'Nothing was left to book');

  const last = startImport(book, other!.url, file);
  const ended = await last.ended;
  expectThat(ended === BOOKED, `The last import ended with ${ended}: ${last.output()}`);
  const booked = (await book.head()) - before;
  const right = await countOpened(stage.behind, book.id, OPENED);
  expectThat(booked === LINES && right === LINES, `${booked} entries of ${LINES} lines, ${right} accounts have theirs`);
}

interface Import {
  readonly child: ChildProcess;
  /** Resolves to its exit code; null where it was killed. */
  readonly ended: Promise<number | null>;
  output(): string;
}

function startImport({ key }: OwnBook, url: string, file: string): Import {
  const words = [...programOf('scripts/import.ts'), 'opening', file, '--url', url, '--json'];
  const child = spawn(process.execPath, words, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, COUNTINGHOUSE_API_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = once(child, 'exit').then(([exit]) => exit as number | null);
  return { child, ended, output: () => output };
}

/** Some lines of this import, and not all of them. */
async function untilBooked({ head }: OwnBook, { child, output }: Import, before: number): Promise<void> {
  await untilThat('the first lines of an import', async () => (await head()) > before || !isRunning(child));
  expectThat((await head()) > before, `An import ended before its first line: ${output()}`);
}
