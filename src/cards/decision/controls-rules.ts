/** Rules of what controls allow and block. Each is evaluated in each scope whose controls have it. */
import { isLockedOut } from '../card/card-use.ts';
import { SCOPES, type Scope } from '../controls/controls.ts';
import type { AllowOrBlock, ControlsContent } from '../controls/controls-content.ts';
import { hasMcc } from '../purchase/merchant-category.ts';
import { isCash } from '../purchase/purchase-facts.ts';
import type { Asked, DecisionInput, DecisionRequest, EvaluatedControls } from './decision-input.ts';
import type { DeclineCode } from './decline-codes.ts';
import { type RuleResult, result } from './rule-result.ts';

/** Whether the controls let the request pass; undefined where they do not have the rule. */
type Check = (content: ControlsContent, request: DecisionRequest, asked: Asked) => boolean | undefined;

/** In the order in which they decide. */
const CHECKS: readonly (readonly [code: DeclineCode, check: Check])[] = [
  ['entry_mode_blocked', allowsEntryMode],
  ['cash_blocked', allowsCash],
  ['country_blocked', ({ countries }, { facts }) => lets(countries, (list) => list.includes(facts.country))],
  ['mcc_blocked', ({ mcc }, { facts }) => lets(mcc, (list) => hasMcc(list, facts.mcc))],
  ['merchant_blocked', ({ merchants }, { facts }) => lets(merchants, (list) => list.includes(facts.merchantId))],
  ['three_d_secure_required', allowsUnauthenticated],
];

/** Of the active controls. The lock of a card is its merchant rule, before those of controls. */
export function controlsRules({ request, card, scopes }: DecisionInput, asked: Asked): RuleResult[] {
  const active = inScopes(scopes, 'active');
  const rules: RuleResult[] = [];
  for (const [code, check] of CHECKS) {
    if (code === 'merchant_blocked' && card.type === 'merchant_locked')
      rules.push(result(code, 'card', !isLockedOut(card, request.facts)));
    for (const { scope, evaluated } of active) {
      const passes = check(evaluated.controls.content, request, asked);
      if (passes !== undefined) rules.push(result(code, scope, passes));
    }
  }
  return rules;
}

/** What the controls that are tried out would decline. */
export function shadowControlsRules(
  { request, scopes }: Pick<DecisionInput, 'request' | 'scopes'>,
  asked: Asked,
): RuleResult[] {
  const shadow = inScopes(scopes, 'shadow');
  if (shadow.length === 0) return [];
  return CHECKS.flatMap(([code, check]) =>
    shadow
      .filter(({ evaluated }) => check(evaluated.controls.content, request, asked) === false)
      .map(({ scope }) => result(code, scope, false)),
  );
}

/** The controls that are evaluated, in the order in which rules name their scopes. */
export function inScopes(scopes: DecisionInput['scopes'], which: 'active' | 'shadow'): InScope[] {
  const found: InScope[] = [];
  for (const scope of SCOPES) {
    const evaluated = scopes[scope][which];
    if (evaluated !== null) found.push({ scope, evaluated });
  }
  return found;
}

export interface InScope {
  readonly scope: Scope;
  readonly evaluated: EvaluatedControls;
}

/** What no standard lists is in no list: an allow list does not let it pass, a block list does. */
function lets(lists: AllowOrBlock | null, has: (list: readonly string[]) => boolean): boolean | undefined {
  if (lists?.allow !== undefined) return has(lists.allow);
  return lists?.block === undefined ? undefined : !has(lists.block);
}

function allowsEntryMode({ entryModes }: ControlsContent, { facts }: DecisionRequest): boolean | undefined {
  if (entryModes === null) return undefined;
  return facts.entryMode !== null && entryModes.allow.includes(facts.entryMode);
}

function allowsCash({ cash }: ControlsContent, { facts }: DecisionRequest, asked: Asked): boolean | undefined {
  if (cash === null) return undefined;
  return cash === 'allow' || !(isCash(facts.kind) || asked.cashbackAmount > 0n);
}

/** Of the amount that was asked for: a part approved instead is no way around it. An attempt authenticates nobody. */
function allowsUnauthenticated(content: ControlsContent, request: DecisionRequest): boolean | undefined {
  const { requireThreeDSecureAbove: above } = content;
  if (above === null) return undefined;
  const needsIt = request.facts.entryMode === 'ecommerce' && request.amount > above;
  return !needsIt || request.threeDSecure === 'authenticated';
}
