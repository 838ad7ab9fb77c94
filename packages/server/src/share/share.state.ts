/** Shared ports as the server keeps them. */
import { type Share, type ShareAudience, type ShareKind, shareTexts } from '@slipway/contract'

export interface ShareRecord {
  id: string
  projectId: string
  vmId: string
  vmName: string
  port: number
  kind: ShareKind
  audience: ShareAudience
  hostPort: number | null
  label: string
  secret: string
  cookieKey: string
  /** ISO 8601; null: it has no end. */
  expiresAt: string | null
  visits: number
  lastVisitAt: string | null
  createdAt: string
}

/** What somebody asked for. */
export interface ShareWish {
  port: number
  kind: ShareKind
  audience: ShareAudience
  expiresAt: string | null
}

/** The ports of the host that an operator has set aside, both included. */
export interface PortRange {
  first: number
  last: number
}

/** How shared ports are reached, as the operator has set it. */
export interface ShareWays {
  /** Below which each share has a name; null: each has a port instead. */
  domain: string | null
  /** Null: there are no such ports. */
  httpPorts: PortRange | null
  tcpPorts: PortRange | null
}

/** Why ports of each kind cannot be shared here, in a sentence; `ports` is what the engine cannot do. */
export const limitsOf = (ports: string | null, ways: ShareWays): Record<ShareKind, string | null> => ({
  http: ports ?? (ways.domain === null && ways.httpPorts === null ? shareTexts.httpOff : null),
  tcp: ports ?? (ways.tcpPorts === null ? shareTexts.tcpOff : null),
})

export const toWire = (share: ShareRecord, address: string): Share => ({
  id: share.id,
  project_id: share.projectId,
  vm_id: share.vmId,
  vm_name: share.vmName,
  port: share.port,
  kind: share.kind,
  audience: share.audience,
  expires_at: share.expiresAt,
  created_at: share.createdAt,
  address,
  visits: share.visits,
  last_visit_at: share.lastVisitAt,
})
