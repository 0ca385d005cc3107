/**
 * Controls of a card, an account or the program, in versions that never change. One version decides (active), one is
 * tried out beside it (shadow): what it would decline is shown, and nothing else differs. Those of a card belong to its
 * line of replacements.
 * Next: controls-content.ts (limits, and what is allowed or blocked), ../decision/ (how they decide).
 */

import type { Transitions } from '../../ledger/resources/resource.ts';
import type { Instant } from '../../values/clock.ts';
import type { Uuid } from '../../values/ids.ts';
import type { ControlsContent } from './controls-content.ts';

export type ControlsStatus =
  /** Without effect. The integrator moves it. */
  | 'draft'
  /** Evaluated and shown, without deciding. */
  | 'shadow'
  /** Decides. */
  | 'active'
  /** Final. Another version took its place, or the integrator retired it. */
  | 'retired';

export const CONTROLS_TRANSITIONS: Transitions<ControlsStatus> = {
  draft: ['shadow', 'active', 'retired'],
  shadow: ['active', 'retired'],
  active: ['retired'],
  retired: [],
};

/** In the order in which rules name them. */
export const SCOPES = ['card', 'account', 'program'] as const;

export type Scope = (typeof SCOPES)[number];

export interface Controls {
  readonly id: Uuid;
  readonly scope: Scope;
  /** The line of a card, an account, or the book. */
  readonly subjectId: Uuid;
  /** Which version of its subject: from 1. */
  readonly ordinal: number;
  readonly status: ControlsStatus;
  readonly content: ControlsContent;
  /** When it first became shadow or active: its limits with a filter count from then on. */
  readonly countedSince: Instant | null;
}

/** A version that is evaluated. */
export interface ControlsEnforced extends Controls {
  /**
   * The book's event with which it first became shadow or active: purchases count that began behind it. Many commands have one moment, so no
   * time orders them. Null of a version that was in force before this was kept: it goes by `countedSince`.
   */
  readonly countedBehind: bigint | null;
}

/** The versions of one subject that are evaluated. */
export interface InForce {
  readonly active: ControlsEnforced | null;
  readonly shadow: ControlsEnforced | null;
}

export type ControlsAction = 'shadow' | 'activate' | 'retire';

const ACTIONS: Readonly<Record<ControlsStatus, readonly ControlsAction[]>> = {
  draft: ['shadow', 'activate', 'retire'],
  shadow: ['activate', 'retire'],
  active: ['retire'],
  retired: [],
};

export function allowedOnControls({ status }: Pick<Controls, 'status'>): readonly ControlsAction[] {
  return ACTIONS[status];
}

export interface ControlsStep {
  readonly change: Pick<Controls, 'status' | 'countedSince'>;
  /** The version whose place it takes: retired in the same commit. */
  readonly retires: Controls | null;
}

/** Puts a version into force. Refused for one that is older than the active one: somebody has decided since. */
export function putInForce(
  version: Controls,
  status: 'shadow' | 'active',
  { inForce, now }: { readonly inForce: InForce; readonly now: Instant },
): ControlsStep | 'version_mismatch' {
  if (inForce.active !== null && inForce.active.ordinal > version.ordinal) return 'version_mismatch';
  const change = { status, countedSince: version.countedSince ?? now };
  return { change, retires: status === 'active' ? inForce.active : inForce.shadow };
}
