import type { ConsoleSaying } from '@slipway/contract'

export type LinkState =
  | 'connecting'
  | 'connected'
  | 'reconnecting'
  /** The VM is off or does not exist yet; the link connects when that changes. */
  | 'off'
  /** The VM was deleted. */
  | 'gone'
  /** The session ended. */
  | 'refused'
  /** Too many viewers already. */
  | 'full'

export interface LinkView {
  state: LinkState
  viewers: readonly Viewer[]
  /** Whether the guest has a screen; null until the server said so. */
  screen: boolean | null
}

export type Viewer = Extract<ConsoleSaying, { type: 'viewers' }>['viewers'][number]

/** Why a socket was refused, which browsers do not say; `unknown` when the server does not answer. */
export type Reason = 'open' | 'off' | 'gone' | 'refused' | 'unknown'
