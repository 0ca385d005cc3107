/** Reads uploads of batches: items of JSON one by one, rows of CSV a block at a time, both through one schema. */
import { createHash, type Hash } from 'node:crypto';
import type { z } from 'zod';
import type { Upload } from '../../../api/upload.ts';
import { ApiError, type FieldError } from '../../../errors/errors.ts';
import { BadInput } from '../../../intake/bad-input.ts';
import type { ParsedRow } from '../../../intake/csv.ts';
import { csvRows } from '../../../intake/csv-blocks.ts';
import { JsonItems, NotItems, TooLong } from '../../../intake/json-items.ts';
import { canonicalJson, type JsonObject } from '../../../values/json.ts';
import { inputOf } from '../../destinations/api/destination-schemas.ts';
import type { BatchOptions, UploadedBatch } from '../upload-batch.ts';
import type { ItemRequest, UploadedItem } from '../upload-items.ts';
import * as schemas from './batch-schemas.ts';
import { csvColumns, objectOfRow, placeOfColumn } from './csv-columns.ts';

type Query = z.output<typeof schemas.uploadQuery>;

/** Items that are read and handed on together: a millisecond or two, in which no other request of the process is served. */
const PAGE_ITEMS = 25;

export function uploadOf(upload: Upload, query: Query): UploadedBatch {
  return upload.type === 'csv' ? csvUpload(upload, query) : jsonUpload(upload, query);
}

function itemOf(given: z.output<typeof schemas.item>): ItemRequest {
  return {
    amount: given.amount,
    currency: given.currency,
    destination: given.destination.type === 'payee' ? given.destination : inputOf(given.destination),
    accountId: given.account,
    description: given.description ?? null,
    remittance: given.remittance ?? null,
    purposeCode: given.purpose_code ?? null,
    externalId: given.external_id ?? null,
    metadata: given.metadata ?? {},
  };
}

function optionsOf(given: z.output<typeof schemas.besideItems>): BatchOptions {
  return {
    accountId: given.account,
    isSubmitted: given.submit ?? true,
    scheduledFor: given.scheduled_for,
    isApprovalRequested: given.approval === 'required',
    allowsDuplicate: given.allow_duplicate ?? false,
    externalId: given.external_id ?? null,
    metadata: given.metadata ?? {},
  };
}

function jsonUpload(upload: Upload, query: Query): UploadedBatch {
  const ofItems = createHash('sha256');
  let beside: JsonObject = {};
  let options: BatchOptions | undefined;
  let read = 0;
  const faultsBeside: FieldError[] = namedInQuery(query);

  async function* items(): AsyncGenerator<readonly UploadedItem[]> {
    const reader = new JsonItems('items');
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for await (const part of upload.parts()) {
      const texts = readingJson(() => reader.push(decoder.decode(part, { stream: true })));
      for (let at = 0; at < texts.length; at += PAGE_ITEMS)
        yield texts.slice(at, at + PAGE_ITEMS).map((text) => readItem(text));
    }
    const rest = readingJson(() => reader.push(decoder.decode()) && reader.end());
    readBeside(rest.trim() === '' ? '{}' : rest);
  }

  function readItem(text: string): UploadedItem {
    const checked = upload.readJson(schemas.item, text, ['items', read++]);
    digest(ofItems, checked.value);
    return 'data' in checked ? { asked: itemOf(checked.data) } : { faults: checked.faults };
  }

  function readBeside(text: string): void {
    const whole = upload.readJson(WITH_ITEMS, text, []);
    beside = whole.value;
    if ('data' in whole) options = optionsOf(whole.data);
    else faultsBeside.push(...whole.faults);
  }

  return {
    items,
    faultsBeside: () => faultsBeside,
    options: () => options!,
    fingerprint() {
      const { items: _, ...others } = beside;
      const text = `${upload.method} ${upload.path}\n${canonicalJson(others)}\n${ofItems.copy().digest('hex')}`;
      return createHash('sha256').update(text).digest();
    },
    sha256: () =>
      ofItems
        .copy()
        .update(`account ${canonicalJson(beside.account ?? null)}`)
        .digest('hex'),
    placeOf: (row, param) => `/items/${row - 1}${param}`,
  };
}

/** The list is empty by then: its elements are read. */
const WITH_ITEMS = schemas.besideItems.extend({ items: schemas.createBatch.shape.items.unwrap().array() });

function digest(hash: Hash, value: JsonObject): void {
  hash.update(canonicalJson(value)).update('\n');
}

function namedInQuery(query: Query): FieldError[] {
  return Object.entries(query)
    .filter(([name, value]) => name !== 'dry_run' && value !== undefined)
    .map(([name]) => ({
      code: 'parameter_unknown',
      param: name,
      detail: 'Only of a CSV file. In JSON it stands beside the items.',
    }));
}

function tooLong({ message, limit }: TooLong): ApiError {
  return new ApiError('payload_too_large', { detail: `${message}.`, facts: { limit } });
}

/** Throws ApiError for what is no JSON, or no UTF-8. */
function readingJson<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof TooLong) throw tooLong(error);
    if (error instanceof NotItems)
      throw new ApiError('malformed_json', {
        detail: `The body is no JSON object with items: ${error.message}.`,
        param: '',
      });
    if (error instanceof TypeError)
      throw new ApiError('malformed_json', { detail: 'The body is not valid UTF-8.', param: '' });
    throw error;
  }
}

function csvUpload(upload: Upload, query: Query): UploadedBatch {
  const ofBytes = createHash('sha256');

  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const part of upload.parts()) {
      ofBytes.update(part);
      yield part;
    }
  }

  async function* items(): AsyncGenerator<readonly UploadedItem[]> {
    let columns: readonly string[] | undefined;
    let read = 0;
    try {
      const judge = (header: readonly string[]) => {
        columns = csvColumns(header);
      };
      for await (const rows of csvRows(hashed(), judge))
        for (let at = 0; at < rows.length; at += PAGE_ITEMS)
          yield rows.slice(at, at + PAGE_ITEMS).map((row) => readRow(columns!, row, ++read));
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      throw new ApiError('parameter_invalid', {
        param: '',
        detail: /[.]$/.test(error.message) ? error.message : `${error.message}.`,
      });
    }
    columns ?? csvColumns([]);
  }

  function readRow(columns: readonly string[], { record }: ParsedRow, row: number): UploadedItem {
    if (record.length !== columns.length) {
      const detail = `Row ${row} has ${record.length} of ${columns.length} fields.`;
      return { faults: [{ code: 'parameter_invalid', param: `/rows/${row}`, detail }] };
    }
    const checked = upload.check(schemas.item, objectOfRow(columns, record));
    if ('data' in checked) return { asked: itemOf(checked.data) };
    return {
      faults: checked.faults.map(({ code, param = '', detail, facts }) => {
        const column = placeOfColumn(param);
        return { code, param: `/rows/${row}/${column}`, detail: `Row ${row}, column ${column}: ${detail}`, facts };
      }),
    };
  }

  return {
    items,
    faultsBeside: () => [],
    options: () => optionsOf(query),
    fingerprint() {
      const text = `${upload.method} ${upload.path}${upload.query}\n${ofBytes.copy().digest('hex')}`;
      return createHash('sha256').update(text).digest();
    },
    sha256: () => ofBytes.copy().digest('hex'),
    placeOf: (row, param) => (param === '' ? `/rows/${row}` : `/rows/${row}/${placeOfColumn(param)}`),
  };
}
