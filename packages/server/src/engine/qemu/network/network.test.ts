import { expect, test } from 'vitest'
import { CommandError } from '../../../lib/command.ts'
import { makeHandClock } from '../../../lib/hand-clock.ts'
import { silentLog } from '../../../lib/log.ts'
import { EngineError } from '../../engine.ts'
import { tryAgain } from './again.ts'
import { derivedLimits } from './guest-limits.ts'
import { type GuestNetwork, openNetwork } from './network.ts'

type Host = NonNullable<Parameters<typeof openNetwork>[2]>
type Trial = Exclude<keyof Host, 'isRoot'>

/** A program that was ended at its limit. */
const late = () => new CommandError('nft', '', 'nft ended with SIGKILL', { code: 'ETIMEDOUT' })
const refusal = () => new CommandError('nft', 'Operation not permitted', '', { status: 1 })

/** A host that has everything, but for what fails in these trials; each failure is taken once. */
function hostWith(fails: Partial<Record<Trial, Error[]>> = {}, isRoot = true): Host {
  const tried =
    <T>(trial: Trial, found: T) =>
    async () => {
      const failure = fails[trial]?.shift()
      if (failure) throw failure
      return found
    }
  return {
    isRoot: () => isRoot,
    chooseGuestUsers: tried('chooseGuestUsers', { first: 1000, count: 500 }),
    ensureRules: tried('ensureRules', 'stood'),
    proveRules: tried('proveRules', undefined),
    whyNoProjectNetworks: tried('whyNoProjectNetworks', null),
    whyNoNetworksForUser: tried('whyNoNetworksForUser', null),
  }
}
const open = (host: Host) => openNetwork(silentLog, { withNetworks: true, limits: derivedLimits }, host)

test('a trial that comes to its end holds until the next start', async () => {
  expect(await open(hostWith())).toMatchObject({ apart: null, restrict: false, again: null })
  expect(await open(hostWith({}, false))).toMatchObject({ apart: null, restrict: true, again: null })
  for (const trial of ['chooseGuestUsers', 'ensureRules', 'proveRules'] as const)
    expect(await open(hostWith({ [trial]: [refusal()] }))).toMatchObject({ restrict: true, again: null })
  const none = { ...hostWith(), whyNoProjectNetworks: async () => 'ip is not installed' }
  expect(await open(none)).toMatchObject({
    apart: expect.stringContaining('because ip is not installed.'),
    restrict: false,
    again: null,
  })
})

test('a trial that comes to no end on a busy host cuts guests off, and can be made again', async () => {
  const wrapped = new EngineError('internal', 'Not applied', { cause: late() })
  for (const fails of [
    { chooseGuestUsers: [late()] },
    { ensureRules: [wrapped] },
    { proveRules: [late()] },
    { whyNoProjectNetworks: [late()] },
  ]) {
    const network = await open(hostWith(fails))
    expect(network.apart).toMatch(/\.$/)
    expect(await network.again?.()).toMatchObject({ apart: null, restrict: false, again: null })
  }
  const ofUser = await open(hostWith({ whyNoNetworksForUser: [late()] }, false))
  expect(ofUser.sentence).toContain('did not finish trying out')
  expect(await ofUser.again?.()).toMatchObject({ apart: null })
})

test('it is made again after waits that grow, until it comes to an end', async () => {
  const clock = makeHandClock()
  const taken: GuestNetwork[] = []
  const network = await open(hostWith({ proveRules: Array.from({ length: 8 }, late) }))
  const stop = tryAgain({
    network,
    take: async (next) => void taken.push(next),
    clock,
    log: silentLog,
  })
  await clock.advance(5_000)
  expect(taken).toHaveLength(0)
  await clock.advance(15_000)
  expect(taken.map(({ again }) => again !== null)).toEqual([true])
  await clock.advance(600_000)
  expect(taken).toHaveLength(8)
  expect(taken.at(-1)).toMatchObject({ apart: null, again: null })
  await clock.advance(600_000)
  expect(taken).toHaveLength(8)
  stop()
})

test('it is not made again once the engine is closed', async () => {
  const clock = makeHandClock()
  const taken: GuestNetwork[] = []
  const network = await open(hostWith({ proveRules: [late()] }))
  const take = async (next: GuestNetwork) => void taken.push(next)
  tryAgain({ network, take, clock, log: silentLog })()
  await clock.advance(600_000)
  expect(taken).toEqual([])
})
