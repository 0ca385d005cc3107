/**
 * Bench `files`: payouts that a worker puts into files for a bank, and that a pain.002 for each file and one camt.054 end, to the last webhook
 * delivered; beside it `payouts` of the same run. The camt.054 has 200 MB, as banks write them: with texts that nobody needs.
 */
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { JudgedPayment } from '../bank/records.ts';
import { ReferenceBank } from '../bank/reference-bank.ts';
import { writeDebits, writePain002 } from '../bank/write-reports.ts';
import { say } from '../harness/progress.ts';
import { createApiClient, openFundedAccounts, payoutRequest } from './api-client.ts';
import { arrived } from './arrivals.ts';
import { countFiled, listFileSeconds } from './bank-file-store.ts';
import type { BenchContext, BenchResult } from './bench.ts';
import { CURRENCY, issueKey, openBook } from './book.ts';
import { type Helper, type ProductProcess, startApiProcess, startHelper, startWorkerProcess } from './children.ts';
import { benchPayouts } from './end-to-end.ts';
import { sendPosts } from './http-load.ts';
import { countPayouts } from './payout-check-store.ts';
import { setStage } from './stage.ts';
import { median, round } from './statistics.ts';
import { POOLS } from './traffic.ts';
import { verifyLedger } from './verify.ts';

const PAYMENTS_A_FILE = 10_000;
const FILE_SECONDS_MAX = 5;
const PEAK_MB_MAX = 250;
const ACCOUNTS = 100;
const BESIDE = 20_000;
const SAMPLE_MS = 100;
/** 200 MB of 100,000 lines. */
const PADDING = `<AddtlTxInf>${'x'.repeat(500)}</AddtlTxInf>`;
const REMITTANCE = `<RmtInf>${`<Ustrd>${'y'.repeat(140)}</Ustrd>`.repeat(6)}</RmtInf>`;
const IBAN = 'DE89370400440532013000';

interface Places {
  readonly outbox: string;
  readonly inbox: string;
  readonly work: string;
  readonly records: string;
}

export async function benchFiles(context: BenchContext): Promise<BenchResult> {
  const { closing, queue, profile } = context;
  const perFile = Math.min(PAYMENTS_A_FILE, context.payouts);
  const count = context.payouts - (context.payouts % perFile);
  const beside = await benchPayouts({ ...context, seconds: 1, payouts: Math.min(BESIDE, count) });
  const folder = mkdtempSync(join(tmpdir(), 'files-bench-'));
  closing.add('files', async () => rmSync(folder, { recursive: true, force: true }));
  const places = makePlaces(folder);
  const settings = join(folder, 'rails.json');
  writeFileSync(settings, JSON.stringify(railsFile(places, perFile)));
  const receiver = startHelper(closing, 'receiver');
  const port = await receiver.ask<number>({ ask: 'port' });
  const plain = await setStage(closing, { queue, profile });
  const environment = { ...plain.environment, RAILS_FILE: settings, WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` };
  const stage = { ...plain, environment };
  const key = await issueKey(stage.pool, await openBook(stage.pool, 'files'));
  const api = await startApiProcess(stage);
  const client = createApiClient(api.url, key);
  await client.post('/v1/webhooks', { url: `http://127.0.0.1:${port}/webhooks`, events: ['payout.paid'] });
  const bodies = (await openFundedAccounts(client, ACCOUNTS)).map((account) => ({
    ...payoutRequest(account),
    destination: { type: 'iban', iban: IBAN, name: 'Jana Müller' },
  }));
  const worker = await startWorkerProcess(stage, POOLS);
  say(`${count} payouts into files of ${perFile}`);
  await sendPosts({ url: api.url, key, bodies, requests: count });
  while ((await countFiled(stage.pool)) < count) await delay(SAMPLE_MS);
  await api.stop();
  const reports = await writeReports(places, count);
  const fileSeconds = await listFileSeconds(stage.pool);
  say(`a file of ${perFile} within ${round(median(fileSeconds), 2)} s; now ${count} are ended by reports`);
  const ended = await applyReports(places, reports, { receiver, worker, count });
  await worker.stop();
  const { paid } = await countPayouts(stage.pool, null);
  if (paid !== count) throw new Error(`${paid} of ${count} payouts are paid`);
  const checked = await verifyLedger(stage);
  const payoutsPerSecond = beside.fields.per_s as number;
  const slowest = Math.max(...fileSeconds);
  const missed = [
    ...(perFile === PAYMENTS_A_FILE && slowest > FILE_SECONDS_MAX ? [`a file was made in ${round(slowest, 1)} s`] : []),
    ...(ended.perSecond < payoutsPerSecond ? ['ended more slowly than payouts go'] : []),
    ...(ended.peakMb > PEAK_MB_MAX ? [`the worker had ${round(ended.peakMb)} MB`] : []),
  ];
  return {
    versions: stage.versions,
    checked,
    missed,
    fields: {
      made_per_s: round(perFile / median(fileSeconds)),
      settled_per_s: round(ended.perSecond),
      payouts_per_s: round(payoutsPerSecond),
      ratio: round(ended.perSecond / payoutsPerSecond, 3),
      peak_mb: round(ended.peakMb),
      file_s: round(median(fileSeconds), 2),
      slowest_file_s: round(slowest, 2),
      payouts: count,
    },
  };
}

function makePlaces(folder: string): Places {
  const at = (name: string) => join(folder, name);
  const places = { outbox: at('outbox'), inbox: at('inbox'), work: at('work'), records: at('records') };
  for (const path of Object.values(places)) mkdirSync(path);
  return places;
}

/** Files are made at their count alone. */
function railsFile({ outbox, inbox, work }: Places, perFile: number): object {
  const debtor = { name: 'Bench', iban: 'AT611904300234573201', bic: 'BKAUATWW' };
  const limits = { payments_per_file: perFile, file_after_seconds: 86_400, inbox_rests_seconds: 0 };
  return {
    rails: [
      {
        ...{ name: 'bench_bank', mode: 'test', currencies: [{ currency: CURRENCY }] },
        ...{ time_zone: 'UTC', calendar: { name: 'sat_sun' } },
        adapter: { type: 'iso20022', profile: 'iso', debtor, folders: { outbox, inbox, work }, ...limits },
      },
    ],
    routes: [{ destination: 'iban', currencies: [CURRENCY], rail: 'bench_bank' }],
  };
}

/** A pain.002 for each file and a camt.054 for all, ready to be renamed into the inbox. */
async function writeReports({ outbox, inbox, records, work }: Places, count: number): Promise<string[]> {
  const bank = new ReferenceBank({ outbox, inbox, records }, { isSilent: true });
  await bank.work();
  const files = [...bank.records.files.values()];
  const taken = files.reduce((sum, { order }) => sum + (order?.payments.length ?? 0), 0);
  if (taken !== count) throw new Error(`The bank has ${taken} of ${count} payments`);
  const reports = files.map((file, at) => {
    const name = `a${at}.xml`;
    writeFileSync(join(work, name), writePain002(file));
    return name;
  });
  const [first] = files;
  // One notification: the frame of the first file's debits, with the entries of all.
  const [start, end] = writeDebits(first!, []).split('</Ntfctn>');
  const stream = createWriteStream(join(work, 'b.xml'));
  stream.write(start);
  for (const { order } of files)
    for (const [at, payment] of order!.payments.entries())
      if (!stream.write(entryOf(payment, at))) await once(stream, 'drain');
  stream.end(`</Ntfctn>${end}`);
  await once(stream, 'finish');
  return [...reports, 'b.xml'];
}

function entryOf({ endToEndId, amount, currency }: JudgedPayment, at: number): string {
  const money = `<Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>DBIT</CdtDbtInd>`;
  const padding = `${REMITTANCE}${PADDING}`;
  return `<Ntry>${money}<Sts><Cd>BOOK</Cd></Sts><AcctSvcrRef>${endToEndId.slice(2)}${at}</AcctSvcrRef><BkTxCd><Prtry><Cd>N</Cd></Prtry></BkTxCd><NtryDtls><TxDtls><Refs><EndToEndId>${endToEndId}</EndToEndId></Refs>${money}${padding}</TxDtls></NtryDtls><AddtlNtryInf>${'z'.repeat(500)}</AddtlNtryInf></Ntry>`;
}

/** From the reports in the inbox to the last webhook delivered. */
async function applyReports(
  { work, inbox }: Places,
  reports: readonly string[],
  { receiver, worker, count }: { receiver: Helper; worker: ProductProcess; count: number },
): Promise<{ perSecond: number; peakMb: number }> {
  let peakMb = 0;
  const sampling = setInterval(() => (peakMb = Math.max(peakMb, worker.residentMb())), SAMPLE_MS);
  const began = performance.now();
  for (const name of reports) renameSync(join(work, name), join(inbox, name));
  try {
    await arrived(receiver, count);
  } finally {
    clearInterval(sampling);
  }
  return { perSecond: count / ((performance.now() - began) / 1_000), peakMb };
}
