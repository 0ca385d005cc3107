/** The ledger's folders, in the order in which they may see each other (.dependency-cruiser.cjs). */
export const NOUNS = [
  'book',
  'rows',
  'account',
  'entry',
  'hold',
  'events',
  'journal',
  'command',
  'clock',
  'resources',
  'balances',
  'commit',
] as const;
