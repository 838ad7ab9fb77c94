import { type Engine, EngineError } from '../engine/engine.ts'
import { makeReconciler } from '../lib/reconciler.ts'
import { makeNetworkReconcile } from '../network/network.reconcile.ts'
import { makeNetworkRepo } from '../network/network.repo.ts'
import { makeNetworkService } from '../network/network.service.ts'
import { type Base, rhythm } from './base.ts'

/** Names are worth showing while the engine is away. */
const addressesIn = (engine: Pick<Engine, 'networkAddresses'>) => async (projectId: string) => {
  try {
    return await engine.networkAddresses(projectId)
  } catch (error) {
    if (error instanceof EngineError && error.retryable) return new Map<string, string>()
    throw error
  }
}

/** The private networks of projects. */
export function makeNetworks(base: Base) {
  const { db, engine, cannot, clock, log, bus, calls, drives, underLease } = base
  const repo = makeNetworkRepo(db)
  const networks = makeNetworkService({
    repo,
    addressesOf: addressesIn(engine),
    cannot,
    domain: engine.capabilities.networkDomain,
    clock,
    changed: bus.changed,
  })
  const networkReconcile = makeNetworkReconcile({ repo, engine, onGone: calls.kickProject, clock })
  const networkReconciler = makeReconciler({
    name: 'network',
    look: networkReconcile.look,
    scan: async () => (cannot.networks === null ? networkReconcile.scan() : []),
    within: underLease,
    ...rhythm,
    clock,
    log,
  })
  // Whatever a network is made of is announced, whichever server changed it.
  for (const kind of ['project', 'vm', 'vm_pool', 'vm_set'] as const)
    bus.onChanged(kind, (_, projectId) => {
      if (cannot.networks === null && drives()) networkReconciler.kick(projectId)
    })
  return { networks, networkReconciler }
}
