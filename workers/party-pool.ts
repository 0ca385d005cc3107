/** What the pools that talk to outside parties have in common: the concurrency, and the inboxes of the parties' notices. */
import { openOnce } from '../src/exceptions/open-exception.ts';
import { operatorBooks } from '../src/organisations/organisation-store.ts';
import { NoticeCopier } from '../src/outside/notices/copy-notices.ts';
import { InboxTurns } from '../src/outside/notices/inbox-turns.ts';
import type { Inbox, NoticeKinds } from '../src/outside/notices/notice.ts';
import type { NoticeRuntime, TakenNotices } from '../src/outside/notices/take-notices.ts';
import type { NoticeSender } from '../src/outside/party/party.ts';
import { warnSeldom } from '../src/process/seldom.ts';
import type { JOBS, JobData, QueuePool } from '../src/queue/job.ts';
import { definePool, type Handlers, type PoolDefinition } from '../src/queue/pool.ts';
import type { Runtime } from '../src/runtime.ts';

/** The parties of one kind. */
export interface PoolParties<NoticeJob extends string> {
  /** One of them in a log line: `a rail`. */
  readonly noun: string;
  /** Undefined for one that the settings do not have. */
  party(name: string): NoticeSender | undefined;
  readonly noticeJob: NoticeJob;
  readonly noticeKinds: NoticeKinds;
  /** Books the notices of one book and party that are due. */
  takeNotices(inbox: Inbox, warn: NoticeRuntime['warn']): Promise<TakenNotices>;
}

export interface PartyPool<Name extends QueuePool, NoticeJob extends (typeof JOBS)[Name][number]> {
  readonly name: Name;
  /** By kind. Each has a job of its own for its notices. */
  readonly parties: readonly PoolParties<NoticeJob>[];
  /** The jobs for rows. They end when their rows are in the hands of the calls (outside/calls/job-calls.ts). */
  readonly jobs: Omit<Handlers<Name>, NoticeJob>;
}

export function definePartyPool<Name extends QueuePool, NoticeJob extends (typeof JOBS)[Name][number]>(
  runtime: Runtime,
  { name, parties, jobs }: PartyPool<Name, NoticeJob>,
): PoolDefinition {
  const noticeJobs = parties.map((kind) => [kind.noticeJob, noticeHandler(runtime, name, kind)] as const);
  return definePool(name, {
    concurrency: 16, // but for notices, a job waits for Postgres alone: it loads its rows, and their calls are made in turn
    jobs: { ...jobs, ...Object.fromEntries(noticeJobs) } as unknown as Handlers<Name>,
  });
}

function noticeHandler<Name extends QueuePool, NoticeJob extends (typeof JOBS)[Name][number]>(
  runtime: Runtime,
  pool: Name,
  { noun, party, noticeJob, noticeKinds, takeNotices }: PoolParties<NoticeJob>,
): (job: JobData) => Promise<unknown> {
  const { log, enqueuer } = runtime;
  const enqueue = (inbox: Inbox) => enqueuer.enqueue(inbox.bookId, [{ pool, job: noticeJob, id: inbox.party }]);
  const copier = new NoticeCopier({
    ...runtime,
    kinds: noticeKinds,
    party,
    operatorBook: async (mode) => (await operatorBooks(runtime.pool))[mode],
    openException: (bookId, exception) => runtime.committer.submit(bookId, openOnce(exception)),
    enqueue: (bookId, from) => enqueue({ bookId, party: from }),
    warn: warnSeldom(log, `notices of ${noun} not copied`),
  });
  const warn = warnSeldom(log, `notices of ${noun} wait, and are attempted again`);
  const inboxes = new InboxTurns({ take: (inbox) => takeNotices(inbox, warn), enqueue });
  // Of no book: the party is asked. Of a book: what was copied is booked.
  return ({ bookId, ids: named }) =>
    Promise.all(named.map((from) => (bookId === '' ? copier.copy(from) : inboxes.take({ bookId, party: from }))));
}
