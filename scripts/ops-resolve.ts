/** `npm run ops -- payouts resolve`: a person ends a payout whose outcome its rail leaves unknown. */

import { hash } from 'node:crypto';
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import { lowBalances } from '../src/accounts/account/low-balance.ts';
import { watchForms } from '../src/db/forms.ts';
import type { Pool } from '../src/db/pool.ts';
import { createSecretBox, type SecretBox } from '../src/db/secret-box.ts';
import { openExceptionsOf } from '../src/exceptions/exception-store.ts';
import { FileTooLarge, readBounded } from '../src/intake/read-bounded.ts';
import type { BookId } from '../src/ledger/book/book.ts';
import { Committer } from '../src/ledger/commit/committer.ts';
import { makeNoticesDue } from '../src/outside/notices/notice-store.ts';
import { postingsOf } from '../src/payouts/payout/checks/payout-history.ts';
import { payouts } from '../src/payouts/payout/payout-table.ts';
import { evidencePlace, findBookOfPayout, payoutResolutions } from '../src/payouts/resolution/resolution-store.ts';
import { resolvePayout } from '../src/payouts/resolution/resolve-payout.ts';
import { encodeActor } from '../src/values/actor.ts';
import { formatInstant, systemClock } from '../src/values/clock.ts';
import { parsePublicId, publicId, type Uuid } from '../src/values/ids.ts';
import { webhookSink } from '../src/webhooks/backlogs/event-sink.ts';
import { encryptionKeysOf } from './rekey-command.ts';

export interface ResolveOptions {
  as: string;
  evidence: string;
  by?: string;
  dryRun?: boolean;
}

/** The limit of payout_resolutions.evidence. */
const EVIDENCE_BYTES = 262_144;

/** Resolves to the result, or to the result that it would have. Throws errors whose text explains what to repair. */
export async function resolveByPerson(
  pool: Pool,
  shownId: string,
  options: ResolveOptions,
  environment: NodeJS.ProcessEnv = process.env,
) {
  const { as: outcome } = options;
  if (outcome !== 'paid' && outcome !== 'failed') throw new Error('--as is paid or failed.');
  const payoutId = parsePublicId('payout', shownId);
  const bookId = payoutId && (await findBookOfPayout(pool, payoutId));
  if (!payoutId || !bookId) throw new Error(`There is no payout ${shownId}.`);
  const evidence = readEvidenceFile(options.evidence);
  if (evidence.length === 0) throw new Error('The evidence is empty.');
  const payout = (await payouts.load(pool, bookId, [payoutId])).get(payoutId)!;
  const evidenceSha256 = hash('sha256', evidence, 'buffer');
  const view = {
    payout: shownId,
    book: publicId('book', bookId),
    as: outcome,
    by: encodeActor({ type: 'operator', name: (options.by ?? userInfo().username).slice(0, 100) }),
    evidence: basename(options.evidence).slice(0, 200),
    evidence_sha256: evidenceSha256.toString('hex'),
    postings: postingsOf(bookId, payout, outcome, 0n).map(
      ({ debit, credit, amount }) =>
        `${publicId('account', debit)} → ${publicId('account', credit)} ${amount} ${payout.currency}`,
    ),
  };
  if (options.dryRun) {
    const possible = payout.status === 'processing' && payout.outcome === 'unknown';
    return {
      ...view,
      status: payout.status,
      outcome: payout.outcome,
      result: possible ? 'would be booked' : 'refused',
    };
  }
  const forms = watchForms(pool, { onFailure: () => undefined });
  await forms.read().finally(() => forms.close());
  const committer = new Committer({
    watch: lowBalances,
    pool,
    clock: systemClock,
    sink: webhookSink,
    forms,
    enqueue: () => undefined,
  });
  try {
    const command = resolvePayout(bookId, payout, {
      outcome,
      actor: view.by,
      evidenceName: view.evidence,
      evidenceSha256,
      evidence: null,
      evidenceSealed: sealEvidence(environment, { bookId, payoutId, evidence }),
      exceptionIds: await openExceptionsOf(pool, bookId, { resource: 'payout', resourceId: payoutId }),
    });
    const answer = await committer.submit(bookId, command);
    if (answer.refused) throw new Error(`${answer.detail} Nothing was booked.`);
    await makeNoticesDue(pool, { bookId, party: payout.rail }, payout.endToEndId, systemClock.now());
    return {
      ...view,
      status: answer.payout.status,
      outcome: null,
      result: answer.repeated ? 'had been resolved like this' : `booked at ${formatInstant(answer.payout.updatedAt)}`,
    };
  } finally {
    await committer.close();
  }
}

function readEvidenceFile(file: string): Buffer {
  try {
    return readBounded(file, EVIDENCE_BYTES);
  } catch (error) {
    if (!(error instanceof FileTooLarge)) throw error;
    throw new Error(
      `The evidence is larger than ${EVIDENCE_BYTES} bytes: keep it elsewhere, and give a file that names it.`,
      { cause: error },
    );
  }
}

function sealEvidence(
  environment: NodeJS.ProcessEnv,
  { bookId, payoutId, evidence }: { bookId: BookId; payoutId: Uuid; evidence: Buffer },
): Buffer {
  return boxOf(environment).seal(evidence.toString('base64'), evidencePlace(bookId, payoutId));
}

function boxOf(environment: NodeJS.ProcessEnv): SecretBox {
  const { encryptionKey, oldEncryptionKeys } = encryptionKeysOf(environment);
  return createSecretBox(encryptionKey, oldEncryptionKeys);
}

/** The evidence by which a payout was resolved, as received. Throws errors whose text names what is missing. */
export async function readEvidence(pool: Pool, shownId: string, environment: NodeJS.ProcessEnv): Promise<Buffer> {
  const payoutId = parsePublicId('payout', shownId);
  const bookId = payoutId && (await findBookOfPayout(pool, payoutId));
  const found = payoutId && bookId ? await payoutResolutions.find(pool, bookId, payoutId) : undefined;
  if (!found) throw new Error(`No person has resolved a payout ${shownId}.`);
  const { evidence, evidenceSealed } = found;
  if (evidence) return evidence;
  if (!evidenceSealed) throw new Error('The evidence was erased; its SHA-256 stands in the timeline of the payout.');
  return Buffer.from(boxOf(environment).open(evidenceSealed, evidencePlace(bookId!, payoutId!)), 'base64');
}
