/** Reads what is posted to be reconciled: a file as it comes, or JSON that names a bank account. */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Upload } from '../../../api/upload.ts';
import { ApiError } from '../../../errors/errors.ts';
import { canonicalJson } from '../../../values/json.ts';
import type { UploadedFile } from '../upload-file.ts';
import * as schemas from './reconciliation-schemas.ts';

const digestOf = (text: string) => createHash('sha256').update(text).digest();

export function fileOf({ method, path, query, parts }: Upload): UploadedFile {
  return { parts, fingerprint: (sha256) => digestOf(`${method} ${path}${query}\n${sha256}`) };
}

/** It names a bank account and a day. */
const JSON_BYTES_MAX = 65_536;

interface Given {
  readonly given: z.output<typeof schemas.matchAgain>;
  readonly fingerprint: Buffer;
}

/** Throws ApiError for what is no such request. */
export async function readMatchAgain(upload: Upload, query: z.output<typeof schemas.uploadQuery>): Promise<Given> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of upload.parts()) {
    bytes += part.length;
    if (bytes > JSON_BYTES_MAX)
      throw new ApiError('payload_too_large', {
        detail: `A request to match again has at most ${JSON_BYTES_MAX} bytes.`,
        facts: { limit: JSON_BYTES_MAX },
      });
    parts.push(part);
  }
  const checked = upload.readJson(schemas.matchAgain, textOf(Buffer.concat(parts)), []);
  const faults = [...('faults' in checked ? checked.faults : []), ...namedInQuery(query)];
  const [first] = faults;
  if (first !== undefined) throw new ApiError(first.code, { ...first, fieldErrors: faults });
  const text = `${upload.method} ${upload.path}\n${canonicalJson(checked.value)}`;
  return { given: (checked as { data: Given['given'] }).data, fingerprint: digestOf(text) };
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes) || '{}';
  } catch {
    throw new ApiError('malformed_json', { detail: 'The body is not valid UTF-8.', param: '' });
  }
}

function namedInQuery(query: z.output<typeof schemas.uploadQuery>) {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([param]) => ({
      code: 'parameter_unknown' as const,
      param,
      detail: 'Only of a file. To match again, JSON names the bank account and the day.',
    }));
}
