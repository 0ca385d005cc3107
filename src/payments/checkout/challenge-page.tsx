/** The page on which the sandbox plays the payer's bank: pass or fail. */
import type { SandboxChallenge } from '../../acquirers/acquirers.ts';
import { formatAmount } from '../../money/amount.ts';
import { cardText } from './card-text.ts';
import { type Language, TEXTS } from './checkout-texts.ts';
import { notice, page } from './page-frame.tsx';

/** From `/sandbox/challenges/` to `/checkout/`. */
export const CHALLENGE_BASE = '../../checkout/';

export function challengePage(
  challenge: SandboxChallenge,
  { language, back }: { language: Language; back: string | null },
) {
  const texts = TEXTS[language];
  const frame = { language, livemode: false, base: CHALLENGE_BASE };
  if (!challenge.isOpen) {
    const children =
      back === null ? undefined : (
        <p class="back">
          <a href={back} safe>
            {texts.toShop}
          </a>
        </p>
      );
    return page({
      ...frame,
      title: texts.bank,
      content: notice({ heading: texts.bank, text: texts.bankOver, children }),
    });
  }
  const content = (
    <>
      <header>
        <p class="merchant" safe>
          {texts.bank}
        </p>
        <p class="amount">
          <bdi dir="ltr" safe>
            {formatAmount(challenge.amount, challenge.currency)}
          </bdi>
        </p>
        <p class="description">
          <bdi dir="ltr" safe>
            {cardText(challenge)}
          </bdi>
        </p>
      </header>
      <h1 safe>{texts.bankAsks}</h1>
      <form method="post" action="">
        <button type="submit" name="result" value="pass" safe>
          {texts.bankPass}
        </button>
        <button type="submit" name="result" value="fail" class="quiet" safe>
          {texts.bankFail}
        </button>
      </form>
      <p class="hint" safe>
        {texts.bankHelp}
      </p>
    </>
  );
  return page({ ...frame, title: texts.bankAsks, content });
}
