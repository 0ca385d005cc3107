/** One row of the catalogue of errors. */
export interface ErrorDefinition {
  status: number;
  retryable: boolean;
  title: string;
  /** What to do next. */
  help: string;
}

/** Keeps the codes as a type. */
export const define = <Code extends string>(catalogue: Record<Code, ErrorDefinition>) => catalogue;
