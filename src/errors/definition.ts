/** One row of the catalogue of errors. */
export interface ErrorDefinition {
  status: number;
  retryable: boolean;
  /** Whether some answers of this code override it by their own `retryable`. */
  retryDepends?: true;
  title: string;
  /** What to do next. */
  help: string;
}

/** Keeps the codes and their statuses as types. */
export const define = <const Catalogue extends Readonly<Record<string, Readonly<ErrorDefinition>>>>(
  catalogue: Catalogue,
): Catalogue => catalogue;
