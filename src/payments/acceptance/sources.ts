/** The types of sources: a line for each. */

import { type TerminalSource, terminalSource } from '../readers/terminal-source.ts';
import { type CardSource, cardSource } from '../sources/card.ts';
import { type CheckoutSource, checkoutSource } from '../sources/checkout.ts';
import { type CliqRequestSource, cliqRequestSource } from '../sources/cliq-request.ts';
import type { PreparedSource, Source, SourceOf, SourceRuntime } from '../sources/source.ts';
import { type TokenSource, tokenSource } from '../tokens/token-source.ts';

export type SourceInput = CardSource | TokenSource | CliqRequestSource | CheckoutSource | TerminalSource;

const SOURCES: { readonly [Type in SourceInput['type']]: Source<Extract<SourceInput, { type: Type }>> } = {
  card: cardSource,
  token: tokenSource,
  cliq_request: cliqRequestSource,
  checkout: checkoutSource,
  terminal: terminalSource,
};

export function prepareSource(runtime: SourceRuntime, input: SourceInput, of: SourceOf): Promise<PreparedSource> {
  return sourceOf(input).prepare(runtime, input, of);
}

export function asksAcquirer(input: SourceInput): boolean {
  return sourceOf(input).asksAcquirer?.(input) ?? false;
}

function sourceOf({ type }: SourceInput): Source<SourceInput> {
  return SOURCES[type] as Source<SourceInput>;
}
