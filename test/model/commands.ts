/** Requests as commands of the product, and its answers in the reference's words. */
import { ApiError } from '../../src/errors/errors.ts';
import { messageKey, type Stored } from '../../src/idempotency/idempotency-key.ts';
import type { OnceAnswer } from '../../src/idempotency/once.ts';
import { once } from '../../src/idempotency/once.ts';
import type { Command, Refusal } from '../../src/ledger/command/command.ts';
import { PLAIN_FINGERPRINTS } from '../support/fingerprints.ts';
import type { Names } from './names.ts';
import type { AnyKind, RealBook, Request } from './part.ts';
import { bodyOf } from './reference-book.ts';
import { refused, type Said } from './reference-ledger.ts';

/** The command of a dry run is previewed, every other is committed. */
export function commandOf(real: RealBook, kind: AnyKind, request: Request): Command<unknown> {
  const command = kind.command(real, request);
  const name = kind.nameOf?.(request);
  const key = name === undefined ? request.key : messageKey(name);
  if (key === undefined || kind.isDry?.(request)) return command;
  return once(command as Command<Stored | Refusal>, {
    key,
    fingerprint: Buffer.from(bodyOf(request)),
    fingerprints: PLAIN_FINGERPRINTS,
    publicUrl: 'https://api.test',
  });
}

/** A refusal, stored or thrown, a row, or a stored answer; or what only its kind can read. */
export function saidOf(answer: unknown, kind: AnyKind, names: Names): Said {
  if (answer instanceof ApiError) return { ...refused(answer.code), isPassing: true };
  const refusal = answer as Partial<Refusal>;
  if (refusal.refused) return refused(refusal.refused);
  if (kind.saidOf) return kind.saidOf(answer);
  const { status, body, resourceId, id } = answer as Partial<OnceAnswer & { id: string }>;
  if (id !== undefined) return { status: 0, resource: names.nameOf(id) };
  const code = Number(status) < 400 ? undefined : (JSON.parse(body!).code as string);
  return {
    status: Number(status),
    ...(code ? { code } : {}),
    ...(resourceId ? { resource: names.nameOf(resourceId) } : {}),
  };
}

/** The id of the object that was created, if any. */
export function madeBy(answer: unknown): string | undefined {
  return (answer as Partial<Stored>).resourceId;
}
