/**
 * `npm run bank`: the reference bank, for trials of the iso20022 rail (docs/rails.md). One folder has its outbox, its inbox, its durable records
 * and a RAILS_FILE for the rail. Ctrl-C ends it; run again, it goes on where it was.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { isCurrency } from '../../src/money/currency.ts';
import { isRunDirectly, outliveReaders } from '../run-directly.ts';
import { PLAYS } from './plays.ts';
import { type BankRound, ReferenceBank } from './reference-bank.ts';

/** The account of the customer: the debtor of its files. */
const CUSTOMER = { name: 'Countinghouse Trial', iban: 'AT611904300234573201', bic: 'BKAUATWW' };
const ROUND_MS = 500;

const program = new Command()
  .name('npm run bank --')
  .description('Plays a bank that takes files: pain.001 in, pain.002 and camt.054 out.')
  .requiredOption('--folder <path>', 'where its folders and records are');

program
  .command('init')
  .description('make the folders and a RAILS_FILE for the rail')
  .addOption(new Option('--mode <mode>', 'the books that the rail serves').choices(['live', 'test']).default('live'))
  .action(async ({ mode }: { mode: string }) => {
    const { root, folders } = placesOf();
    for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true });
    const path = join(root, 'rails.json');
    if (!existsSync(path)) await writeFile(path, `${JSON.stringify(railsFile(mode, folders), undefined, 2)}\n`);
    console.log(`RAILS_FILE=${path}`);
  });

program
  .command('run', { isDefault: true })
  .description(
    `take files and answer, until Ctrl-C. The last word of a payee's name decides: ${Object.keys(PLAYS).join(', ')}; any other is paid`,
  )
  .option('--once', 'one round, and end')
  .action(async ({ once }: { once?: boolean }) => {
    const bank = openBank();
    let isOver = once === true;
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        isOver = true;
      });
    for (;;) {
      print(await bank.work());
      if (isOver) return;
      await sleep(ROUND_MS);
    }
  });

program
  .command('list')
  .description('show the payments that the bank has taken, one a line')
  .action(async () => {
    const bank = openBank();
    await bank.open();
    for (const { file, order, rejected } of bank.records.files.values())
      for (const { endToEndId, amount, currency, play, ...payment } of order?.payments ?? [])
        console.log(
          [endToEndId, amount, currency, rejected ?? payment.rejected ?? play.toLowerCase(), file].join('\t'),
        );
  });

program
  .command('return')
  .description('send a payment back: a credit under its end-to-end id')
  .argument('<end-to-end-id>', 'as the payout shows it')
  .option('--amount <decimal>', 'less than the whole, such as 92.50', parseAmount)
  .option('--reason <code>', 'ISO 20022: AC04, FOCR, …', 'AC04')
  .action(async (endToEndId: string, { amount, reason }: { amount?: string; reason: string }) => {
    const bank = openBank();
    await bank.open();
    const known = bank.records.payment(endToEndId);
    if (known === undefined) throw new Error(`The bank has no payment ${endToEndId}: npm run bank -- list`);
    const { payment, account } = known;
    const entry = { account, amount: amount ?? payment.amount, currency: payment.currency, endToEndId, reason };
    await bank.ask({ ...entry, reference: null, debtorName: null });
    print(await bank.work());
  });

program
  .command('credit')
  .description('money from somebody else on the customer’s account')
  .requiredOption('--amount <decimal>', 'such as 100.00', parseAmount)
  .option('--currency <code>', 'ISO 4217', parseCurrency, 'EUR')
  .option('--reference <text>', 'the structured reference of the payer: RF18…')
  .option('--from <name>', 'who pays', 'A Payer')
  .action(async (given: { amount: string; currency: string; reference?: string; from: string }) => {
    const bank = openBank();
    const { amount, currency, reference = null, from } = given;
    const credit = { account: CUSTOMER.iban, amount, currency, endToEndId: null, reason: null, reference };
    await bank.ask({ ...credit, debtorName: from });
    print(await bank.work());
  });

function placesOf() {
  const root = resolve(program.opts<{ folder: string }>().folder);
  const at = (name: string) => join(root, name);
  return { root, folders: { outbox: at('outbox'), inbox: at('inbox'), work: at('work'), records: at('records') } };
}

function openBank(): ReferenceBank {
  const { folders } = placesOf();
  const missing = Object.values(folders).find((folder) => !existsSync(folder));
  if (missing !== undefined) throw new Error(`The folder ${missing} is not there. Make it: npm run bank -- init`);
  return new ReferenceBank(folders);
}

function print({ taken, written }: BankRound): void {
  for (const { file, payments, rejected } of taken)
    console.log(`took ${file}: ${payments} payments${rejected === null ? '' : `, rejected with ${rejected}`}`);
  for (const report of written) console.log(`wrote ${report}`);
}

/** One route for euro to accounts at banks. Files are made at once, so that a trial waits for nothing. */
function railsFile(mode: string, { outbox, inbox, work }: ReturnType<typeof placesOf>['folders']): object {
  const adapter = {
    ...{ type: 'iso20022', profile: 'epc', debtor: CUSTOMER, folders: { outbox, inbox, work } },
    ...{ file_after_seconds: 0, inbox_rests_seconds: 0 },
  };
  return {
    rails: [
      {
        ...{ name: 'reference_bank', mode, currencies: [{ currency: 'EUR' }] },
        ...{ time_zone: 'Europe/Vienna', cut_off: '16:00', calendar: { name: 'target2' }, days_to_arrive: 1, adapter },
      },
    ],
    routes: [{ destination: 'iban', currencies: ['EUR'], rail: 'reference_bank', fee: 'bank' }],
    fees: [{ name: 'bank', currency: 'EUR', fixed: 35 }],
  };
}

function parseAmount(text: string): string {
  if (!/^\d{1,15}(\.\d{1,3})?$/.test(text)) throw new InvalidArgumentError('Expects an amount such as 100.00.');
  return text;
}

function parseCurrency(text: string): string {
  if (!isCurrency(text)) throw new InvalidArgumentError('Expects a currency of ISO 4217.');
  return text;
}

if (isRunDirectly(import.meta)) {
  try {
    outliveReaders();
    await program.parseAsync();
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
