/** Clearing files in tests: written to a folder of their own, and taken in as the command does. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClearingFields, clearingCsv } from '../../scripts/harness/clearing-file.ts';
import {
  type BookedPart,
  type BookFileRuntime,
  bookClearingFile,
} from '../../src/transactions/clearing-files/book-file.ts';
import { checkFile } from '../../src/transactions/clearing-files/check-file.ts';
import {
  keepClearingFile,
  type StoredClearingFile,
} from '../../src/transactions/clearing-files/clearing-file-store.ts';
import { newId } from '../../src/values/ids.ts';
import { TEST_SECRET_BOX } from './secret-box.ts';

export class ClearingFiles {
  readonly #folder = mkdtempSync(join(tmpdir(), 'clearing-'));

  write(text: string): string {
    const file = join(this.#folder, `${newId()}.csv`);
    writeFileSync(file, text);
    return file;
  }

  async keep({ pool }: Pick<BookFileRuntime, 'pool'>, file: string): Promise<StoredClearingFile> {
    const of = { processor: 'sandbox_processor', mode: 'test', name: 'test' } as const;
    return keepClearingFile({ pool, secretBox: TEST_SECRET_BOX }, { ...checkFile(file), ...of }, Date.now());
  }

  async take(runtime: BookFileRuntime, text: string): Promise<BookedPart[]> {
    return bookClearingFile(runtime, await this.keep(runtime, this.write(text)));
  }

  takeLines(runtime: BookFileRuntime, lines: readonly ClearingFields[]): Promise<BookedPart[]> {
    return this.take(runtime, clearingCsv(lines));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
