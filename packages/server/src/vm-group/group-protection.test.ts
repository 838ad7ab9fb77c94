/** VMs of pools and sets that are protected against deletion, through the real app. */
import { vmPoolTexts, vmSetTexts } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { type TestAppOptions, withoutBin } from '../app.test-kit.ts'
import { groupDesk } from '../group-desk.test-kit.ts'

const kinds = [
  { kind: 'pool', of: 'pools', two: { desired_size: 2 }, texts: vmPoolTexts },
  { kind: 'set', of: 'sets', two: { replicas: 2 }, texts: vmSetTexts },
] as const

/** A group of two VMs that run. */
async function madeOf({ of, two }: (typeof kinds)[number], options?: TestAppOptions) {
  const { protect, pass, [of]: groups } = await groupDesk(options)
  const { id, vms } = await groups.made(two)
  const [first = '', second = ''] = vms.map((vm) => vm.id)
  return { ...{ protect, pass, groups, id, first, second }, now: () => groups.get(id) }
}

describe.each([
  ['to the bin', {}],
  ['for good', withoutBin],
])('deleted %s', (_, options) => {
  it.each(kinds)('a $kind is not while one of its VMs is protected, and nothing changes', async (kind) => {
    const { protect, pass, groups, id, first, now } = await madeOf(kind, options)
    await protect(first, true)
    expect(await groups.remove(id)).toMatchObject({ status: 409, body: { message: kind.texts.hasProtected } })
    await pass()
    expect((await now()).vms.map(({ status }) => status)).toEqual(['running', 'running'])
    await protect(first, false)
    expect((await groups.remove(id)).status).toBe(204)
  })
})

describe('made smaller', () => {
  it.each(kinds)(
    'a $kind keeps its protected VMs, says why it is larger, and lets one go as soon as it may',
    async (kind) => {
      const { protect, pass, groups, id, first, second, now } = await madeOf(kind)
      for (const vmId of [first, second]) await protect(vmId, true)
      expect((await groups.resize(id, 1)).status).toBe(200)
      await pass()
      expect(await now()).toMatchObject({
        status: 'error',
        status_message:
          '"web-1" is protected against deletion. Turn its protection off. Or choose a size of 2.',
        vms: [{ status: 'running' }, { status: 'running' }],
      })
      await protect(first, false)
      await pass()
      expect(await now()).toMatchObject({ status_message: null, vms: [{ id: second }] })
    },
  )

  it.each(kinds)('a $kind keeps a VM that is protected while it shuts down', async (kind) => {
    const { protect, pass, groups, id, second, now } = await madeOf(kind)
    await groups.resize(id, 1)
    await pass(1)
    expect((await now()).vms).toMatchObject([{ status: 'running' }, { status: 'stopping' }])
    await protect(second, true)
    await pass(60_000)
    expect((await now()).vms).toMatchObject([{ id: second, status: 'running' }])
  })
})
