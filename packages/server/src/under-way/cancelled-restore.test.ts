/**
 * What the reconciler found out is stored only for what is still requested. The end of a restore has been let in here, and is
 * stored at each moment of that, also between what a look has read and what that stores.
 */
import { describe, expect, it } from 'vitest'
import { leftovers, wrongIn } from './settled.test-kit.ts'
import { type Answer, breathe, type Case, openWorld, type World } from './walk.test-kit.ts'

const settledMs = 90_000
/** More than the work has. */
const moments = Array.from({ length: 24 }, (_, index) => index)

/** Has a request stored at a point, once it was let in. */
async function storeAt(
  one: Case,
  moment: number,
  world: World,
  request: () => Promise<Answer>,
): Promise<Answer> {
  const now = Promise.withResolvers<void>()
  const answer = world.hold(now.promise, request)
  // The work may be over before.
  world.clock.after(settledMs / 2, now.resolve)
  await breathe()
  one.points = 0
  one.at = async (point) => {
    if (point < moment) return
    now.resolve()
    await Promise.race([answer, breathe()])
  }
  return answer
}

const safetyOf = ({ app }: World, one: Case) =>
  app.db
    .selectFrom('vm_snapshot')
    .select('id')
    .where('vm_id', '=', one.vmId)
    .where('name', 'like', 'Before restoring%')
    .executeTakeFirst()

describe('a restore', () => {
  it('that is cancelled in the moment in which its copies are complete leaves the VM as it was', async () => {
    const world = await openWorld()
    const cases = await world.make('running', moments.length)
    const answers = new Map<Case, Answer>()
    for (const [moment, one] of cases.entries()) {
      one.at = async (_, where) => {
        if (where !== 'during a call') return
        one.at = null
        answers.set(one, await storeAt(one, moment, world, () => world.cancel(one)))
      }
      await world.request(one, 'restore', '')
    }
    await world.advance(settledMs)
    const named = cases.map((one, moment) => ({ title: `moment ${moment}`, one, isRestored: true }))
    expect(await wrongIn(world, named)).toEqual([])
    expect(await leftovers(world)).toEqual([])
    for (const one of cases) {
      const isCancelled = (answers.get(one)?.status ?? 500) < 300
      expect((await safetyOf(world, one)) === undefined).toBe(isCancelled)
    }
    // Some in time, and some too late.
    expect(new Set([...answers.values()].map(({ status }) => status)).size).toBe(2)
    await world.close()
  })
})
