/** What a bank shows of what the schemes settle: one net amount. All schemes are one party. */
import { type AtBank, against, type BankMovement } from '../../group/at-bank.ts';
import { publicId } from '../../values/ids.ts';

/** As a bank account's `parties` name it. */
const PARTY = 'card_schemes';

export const schemeSettlementsAtBank: AtBank = {
  resources: ['scheme_settlement'],
  words: (_db, _of, lines) =>
    Promise.resolve(
      new Map(
        lines.map((line): [bigint, BankMovement] => {
          const documentReference = publicId('schemeSettlement', line.resourceId);
          return [
            line.line,
            against(line, { code: 'rail_clearing', party: PARTY }, { party: PARTY, documentReference }),
          ];
        }),
      ),
    ),
};
