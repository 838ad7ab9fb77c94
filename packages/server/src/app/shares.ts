import type { Config } from '../config.ts'
import { addressOf } from '../share/share.address.ts'
import { makeShareRepo } from '../share/share.repo.ts'
import { makeShareService } from '../share/share.service.ts'
import type { Base } from './base.ts'

/** Shared ports, and how they are reached. */
export function makeShares(
  base: Base,
  options: { config: Pick<Config, 'host' | 'publicUrl' | 'share'>; ownUrl: () => string },
) {
  const { db, engine, cannot, clock, bus, projects } = base
  const { config } = options
  const shares = makeShareService({
    repo: makeShareRepo(db),
    projects,
    cannot,
    ways: config.share,
    addressOf: (share) =>
      addressOf(share, config.share, { publicUrl: config.publicUrl, ownUrl: options.ownUrl() }),
    canListen: async () => true,
    listeningPorts: (vmId) => engine.listeningPorts(vmId),
    changed: bus.changed,
    clock,
  })
  bus.reads('share', shares.read)
  return { shares }
}
