/** `npm run ops -- payouts resolve`: a person ends a payout whose outcome its rail leaves unknown. */
import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import { encodeActor } from '../src/actor.ts';
import { formatInstant, systemClock } from '../src/clock.ts';
import type { Pool } from '../src/db/pool.ts';
import { parsePublicId, publicId } from '../src/ids.ts';
import { Committer } from '../src/ledger/committer.ts';
import { openExceptionsOf } from '../src/payouts/exception-store.ts';
import { makeNoticesDue } from '../src/payouts/notice-store.ts';
import { payouts } from '../src/payouts/payout-table.ts';
import { findBookOfPayout } from '../src/payouts/resolution-store.ts';
import { resolvePayout } from '../src/payouts/resolve-payout.ts';
import { postingsOf } from '../src/verify/payout-history.ts';
import { webhookSink } from '../src/webhooks/event-sink.ts';

export interface ResolveOptions {
  as: string;
  evidence: string;
  by?: string;
  dryRun?: boolean;
}

/** The limit of payout_resolutions.evidence. */
const EVIDENCE_BYTES = 262_144;

/** Resolves to what was done, or would be done. Throws errors whose text tells a person what to mend. */
export async function resolveByPerson(pool: Pool, shownId: string, options: ResolveOptions) {
  const { as: outcome } = options;
  if (outcome !== 'paid' && outcome !== 'failed') throw new Error('--as is paid or failed.');
  const payoutId = parsePublicId('payout', shownId);
  const bookId = payoutId && (await findBookOfPayout(pool, payoutId));
  if (!payoutId || !bookId) throw new Error(`There is no payout ${shownId}.`);
  if (statSync(options.evidence).size > EVIDENCE_BYTES)
    throw new Error(
      `The evidence is larger than ${EVIDENCE_BYTES} bytes: keep it elsewhere, and give a file that names it.`,
    );
  const evidence = readFileSync(options.evidence);
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
  const committer = new Committer({ pool, clock: systemClock, sink: webhookSink, enqueue: () => undefined });
  try {
    const command = resolvePayout(bookId, payout, {
      outcome,
      actor: view.by,
      evidenceName: view.evidence,
      evidenceSha256,
      evidence,
      exceptionIds: await openExceptionsOf(pool, bookId, payoutId),
    });
    const answer = await committer.submit(bookId, command);
    if (answer.refused) throw new Error(`${answer.detail} Nothing was booked.`);
    await makeNoticesDue(pool, { bookId, rail: payout.rail }, payout.endToEndId, systemClock.now());
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
