/** What is wrong with an upload: the first hundred faults, and how many there are. Faults of form stand before all others. */
import { ApiError, ERRORS, type ErrorCode, type Facts } from '../../errors/errors.ts';

export interface UploadFault {
  readonly code: ErrorCode;
  readonly param?: string | undefined;
  readonly detail: string;
  readonly facts?: Facts | undefined;
}

/** In one answer, as of any other request. */
const SHOWN_MAX = 100;

export class BatchFaults {
  readonly #ofForm: UploadFault[] = [];
  readonly #others: UploadFault[] = [];
  #untold: UploadFault[] = [];
  #total = 0;

  get any(): boolean {
    return this.#total > 0;
  }

  get anyOfForm(): boolean {
    return this.#ofForm.length > 0;
  }

  add(fault: UploadFault): void {
    this.#total++;
    const kind = ERRORS[fault.code].status === 400 ? this.#ofForm : this.#others;
    if (kind.length < SHOWN_MAX) kind.push(fault);
    this.#untold.push(fault);
  }

  /** All that were added since the last call. */
  take(): UploadFault[] {
    return this.#untold.splice(0);
  }

  /** Throws one ApiError, if there are any. `csv`: where all of them are read. */
  throwAny(csv?: string): void {
    const shown = [...this.#ofForm, ...this.#others].slice(0, SHOWN_MAX);
    const [first] = shown;
    if (first === undefined) return;
    throw new ApiError(first.code, {
      facts: { ...first.facts, errors_total: this.#total, ...(csv !== undefined && { errors_csv: csv }) },
      fieldErrors: shown.map(({ code, param, detail }) => ({ code, detail, ...(param !== undefined && { param }) })),
    });
  }
}
