/** What is declared of a generator: how it is installed, what it generates, and what comes of its client. */

/** A command in the tool's own folder, which has the document as `openapi.json`. */
export interface Step {
  readonly does: 'install' | 'generate' | 'compile' | 'run';
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Tool {
  /** For `--only`. */
  readonly name: string;
  readonly language: string;
  /** With the versions that the steps install. */
  readonly tool: string;
  /** What an integrator sets, for docs/clients.md. */
  readonly needs: string;
  /** On the PATH. Without them the tool has failed. */
  readonly programs: readonly string[];
  /** Generates from the document without `discriminator`. */
  readonly withoutDiscriminator?: boolean;
  /** Written before the first step, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** A file of programs/, and where the tool's compiler expects it. */
  readonly program?: { readonly file: string; readonly to: string };
  readonly steps: readonly Step[];
  /** A part of the message with which a step is known to fail: the line of such a run has it, in place of the last words of a log. */
  readonly fails?: string;
  /** The line of docs/clients.md that the run has to come to. */
  readonly expected: string;
}

export const step = (does: Step['does'], words: string, env?: Step['env']): Step => ({
  does,
  words: words.split(' '),
  ...(env && { env }),
});

/** The line of a client that pays and reads all, but for what its generator makes of a new variant. */
export const paysAnd = (variant: string): string => `pays; null is read; a newer value is read; ${variant}`;
