import { z } from 'zod';
import { reference } from '../../../api/schemas/fields.ts';
import type { TerminalSource } from '../terminal-source.ts';

export const terminalRequest = z
  .strictObject({ type: z.literal('terminal'), reader: reference('reader', 'The reader that asks for the card.') })
  .meta({ id: 'TerminalSource', description: 'A card at a reader.' });

export function terminalSourceOf({ type, reader: readerId }: z.output<typeof terminalRequest>): TerminalSource {
  return { type, readerId };
}
