/** How the API shows an idempotency key: its result, never its first answer. */
import { formatInstant, formatInstantOrNull } from '../values/clock.ts';
import { publicId } from '../values/ids.ts';
import { type IdempotencyRecord, keyReference } from './idempotency-key.ts';

export function idempotencyKeyView(record: IdempotencyRecord, livemode: boolean) {
  const { status, resource } = record;
  return {
    object: 'idempotency_key',
    livemode,
    key: record.key,
    status: record.voidedAt !== null ? 'voided' : status! < 400 ? 'succeeded' : 'refused',
    response_status: status,
    code: status !== null && status >= 400 && record.body !== null ? (JSON.parse(record.body).code as string) : null,
    resource,
    resource_id: keyReference(record),
    request_id: publicId('request', record.requestId),
    voided_at: formatInstantOrNull(record.voidedAt),
    created_at: formatInstant(record.createdAt),
  };
}
