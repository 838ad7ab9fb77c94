import { describe, expect, it } from 'vitest'
import type { Answer } from './client.ts'
import { compare } from './compare.ts'
import { type Seen, withName } from './look.ts'
import type { Person } from './people.ts'
import type { Args } from './script.ts'
import { perform } from './traffic.ts'
import { type Known, makeWorld, newKnown, objectOf } from './world.ts'

const answer = (status: number, body?: object): Answer => ({
  status,
  text: body ? JSON.stringify(body) : '',
  headers: {},
  took: 1,
})

const known = (kind: Known['kind'], handle: string, over: Partial<Known> = {}): Known => ({
  ...newKnown({ kind, handle, user: 0, project: 'p', name: handle, id: `id-${handle}`, fate: 'there' }),
  ...over,
})

/** A user with a project, a key, the VM `v` with the disk `on` on it, and the disk `off` on none. */
function makeUser() {
  const world = makeWorld()
  for (const one of [
    known('project', 'p', { project: null }),
    known('sshKey', 'k', { project: null }),
    known('disk', 'on', { facts: { vm_id: 'id-v' } }),
    known('disk', 'off', { facts: { vm_id: null } }),
    known('vm', 'v'),
  ])
    world.objects.set(one.handle, one)
  let n = 0
  return {
    world,
    /** One operation of the user with the answers to its calls; null: no answer comes. */
    async does(operation: string, args: Args, ...got: (Answer | null)[]): Promise<void> {
      const left = [...got]
      const person: Person = {
        name: 'ada',
        email: 'ada@campaign.example',
        client: { send: async () => left.shift() ?? null, cookie: '', from: '', close: () => {} },
        signIn: async () => true,
        askToSignIn: async () => null,
      }
      const host = { url: 'http://127.0.0.1:9', mailedLink: () => Promise.reject(new Error('No mail')) }
      await perform(host, world, [person], { n: n++, wait: 0, do: 'operation', user: 0, operation, args })
    },
    /** The rules that are broken when the server shows these disks, and VMs, with everything else as it is known. */
    broken(
      vmOf: Record<string, string | null>,
      vms: string[],
      shares: Record<string, object> = {},
    ): string[] {
      const show = (kind: Known['kind'], name: string, more: Record<string, unknown> = {}): Seen => ({
        kind,
        user: 0,
        object: { id: `id-${name}`, name, ...more },
      })
      const seen = [
        show('project', 'p'),
        show('sshKey', 'k'),
        ...Object.entries(vmOf).map(([name, vm_id]) => show('disk', name, { vm_id })),
        ...Object.entries(shares).map(([id, more]) =>
          show('share', id, withName('share', { vm_name: 'v', port: 80, ...more })),
        ),
        ...vms.map((name) => show('vm', name, { status: 'running' })),
      ]
      return compare(world, seen, { settled: true, unlucky: false }).map(({ rule }) => rule)
    },
  }
}

describe('a disk whose VM is deleted', () => {
  it('is on none afterwards, or still on it, when no answer came', async () => {
    for (const [shown, vms] of [
      [null, []],
      ['id-v', ['v']],
    ] as const) {
      const user = makeUser()
      await user.does('deleteVm', { on: 'v' }, null)
      expect(user.broken({ on: shown, off: null }, [...vms])).toEqual([])
    }
  })

  it('must stay on it when the deletion was refused', async () => {
    const user = makeUser()
    await user.does('deleteVm', { on: 'v' }, answer(409))
    expect(user.broken({ on: null, off: null }, ['v'])).toEqual(['changed'])
  })

  it('says nothing of other disks', async () => {
    const user = makeUser()
    await user.does('deleteVm', { on: 'v' }, null)
    expect(user.broken({ on: null, off: 'id-other' }, [])).toEqual(['changed'])
  })
})

describe('a VM that comes back from the bin', () => {
  /** Its disk was put on another VM and taken off since. */
  async function makeDeleted() {
    const user = makeUser()
    user.world.objects.set('w', known('vm', 'w'))
    await user.does('deleteVm', { on: 'v' }, answer(204))
    await user.does('attachDisk', { on: 'on', vm: 'w' }, answer(200, {}))
    await user.does('detachDisk', { on: 'on' }, answer(200, {}))
    return user
  }
  const bin = (attached: number) => ({
    ...answer(200),
    text: JSON.stringify([{ id: 'id-v', attached_disks: attached }]),
  })

  it('takes the disks again that it had, where they are free', async () => {
    for (const back of [answer(200, {}), null])
      for (const shown of ['id-v', null]) {
        const user = await makeDeleted()
        await user.does('restoreFromBin', { on: 'p' }, bin(1), back)
        expect(user.broken({ on: shown, off: null }, ['v', 'w'])).toEqual([])
      }
  })

  it('takes none when it had none, or when it was not restored', async () => {
    for (const [had, status] of [
      [0, 200],
      [1, 409],
    ] as const) {
      const user = await makeDeleted()
      await user.does('restoreFromBin', { on: 'p' }, bin(had), answer(status, {}))
      expect(user.broken({ on: 'id-v', off: null }, ['v', 'w'])).toContain('changed')
    }
  })
})

describe('a VM that was created with a disk and never answered', () => {
  const create = { project: 'p', key: 'k', persistent: true, disk: 'off' }

  /** Its creation failed as far as anybody can see, and the disk was put on another VM and taken off since. */
  async function makeUnanswered() {
    const user = makeUser()
    await user.does('createVm', create, null)
    await user.does('attachDisk', { on: 'off', vm: 'v' }, answer(200, {}))
    await user.does('detachDisk', { on: 'off' }, answer(200, {}))
    expect(user.broken({ on: 'id-v', off: null }, ['v'])).toEqual([])
    expect(objectOf(user.world, 's0')).toMatchObject({ fate: 'gone', id: null })
    return user
  }

  it('takes the disk when it is created by the same request sent again', async () => {
    for (const again of [answer(201, { id: 'id-s0' }), null]) {
      const user = await makeUnanswered()
      await user.does('createAgain', { on: 's0' }, again)
      expect(user.broken({ on: 'id-v', off: 'id-s0' }, ['v', 's0'])).toEqual([])
    }
  })

  it('does not when that is refused', async () => {
    const user = await makeUnanswered()
    await user.does('createAgain', { on: 's0' }, answer(409))
    expect(user.broken({ on: 'id-v', off: 'id-s0' }, ['v', 's0'])).toEqual(['changed', 'doubled'])
  })
})

describe('a shared port', () => {
  const create = { project: 'p', vm: 'v', port: 80, audience: 'link' }
  const made = { id: 'id-h', vm_id: 'id-v', port: 80, kind: 'http', audience: 'link', expires_at: null }
  const others = { on: 'id-v', off: null }

  async function makeShared(got: Answer | null = answer(201, made)) {
    const user = makeUser()
    await user.does('createShare', create, got)
    return user
  }

  it('must stay as it was acknowledged', async () => {
    expect((await makeShared()).broken(others, ['v'], { h: made })).toEqual([])
    expect((await makeShared()).broken(others, ['v'])).toEqual(['lost'])
    expect((await makeShared()).broken(others, ['v'], { h: { ...made, audience: 'project' } })).toEqual([
      'changed',
    ])
    expect((await makeShared()).broken(others, ['v'], { h: made, twin: made })).toEqual([
      'doubled',
      'doubled',
    ])
  })

  it('may be there or not when its creation was never answered', async () => {
    expect((await makeShared(null)).broken(others, ['v'], { h: made })).toEqual([])
    expect((await makeShared(null)).broken(others, ['v'])).toEqual([])
  })

  it('has what its change says, or either when no answer came', async () => {
    const changed = { ...made, audience: 'project', expires_at: '2099-01-01T00:00:00.000Z' }
    const change = { on: 's0', audience: 'project', ends: true }
    const user = await makeShared()
    await user.does('updateShare', change, answer(200, changed))
    expect(user.broken(others, ['v'], { h: changed })).toEqual([])
    expect(user.broken(others, ['v'], { h: made })).toEqual(['changed', 'changed'])
    for (const shown of [made, changed]) {
      const unheard = await makeShared()
      await unheard.does('updateShare', change, null)
      expect(unheard.broken(others, ['v'], { h: shown })).toEqual([])
    }
  })

  it('ends with its VM', async () => {
    const user = await makeShared()
    await user.does('deleteVm', { on: 'v' }, answer(204))
    expect(user.broken({ on: null, off: null }, [], { h: made })).toEqual(['kept'])
    const unheard = await makeShared()
    await unheard.does('deleteVm', { on: 'v' }, null)
    expect(unheard.broken({ on: null, off: null }, [])).toEqual([])
    const unanswered = await makeShared(null)
    expect(unanswered.broken(others, ['v'], { h: made })).toEqual([])
    await unanswered.does('deleteVm', { on: 'v' }, answer(204))
    expect(unanswered.broken({ on: null, off: null }, [])).toEqual([])
    const refused = await makeShared()
    await refused.does('deleteVm', { on: 'v' }, answer(409))
    expect(refused.broken(others, ['v'])).toEqual(['lost'])
  })
})
