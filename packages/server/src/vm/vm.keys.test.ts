/** The SSH key of a VM that is there is changed, through the real app. */
import { activityApi, sshKeyApi, type VmUpdate, vmApi, vmChangeTexts, vmTexts } from '@slipway/contract'
import { describe, expect, it, vi } from 'vitest'
import { newPublicKey } from '../app.test-kit.ts'
import { atDesk, type Desk } from '../desk.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'
import { keyChange, keyOfThen } from './vm.change.ts'

const update = (desk: Desk, vmId: string, body: VmUpdate) =>
  desk.ada.call(vmApi.update, { params: { ...desk.params, vmId }, body })

async function newKey(desk: Desk, key_name: string) {
  const { body } = await desk.ada.call(sshKeyApi.create, {
    body: { key_name, ssh_public_key: newPublicKey() },
  })
  return body
}

describe('what becomes of a VM', () => {
  const key = (id: string) => ({ id, name: id, public_key: `ssh-ed25519 ${id}` })
  const asKey = (id: string) => key(id) as Parameters<typeof keyChange>[1]
  const has = (id: string, formerSshKeys: string[] = []) => ({
    sshKeyId: id,
    sshPublicKey: `ssh-ed25519 ${id}`,
    formerSshKeys,
  })

  it('is nothing where it has the key', () => {
    expect(keyChange(has('a'), null)).toEqual({})
    expect(keyChange(has('a'), asKey('a'))).toEqual({})
  })

  it('is that its guest is due the key, and loses all that it had before, but not one that is back', () => {
    expect(keyChange(has('b', ['ssh-ed25519 a']), asKey('c'))).toEqual({
      sshKeyId: 'c',
      sshKeyName: 'c',
      sshPublicKey: 'ssh-ed25519 c',
      formerSshKeys: ['ssh-ed25519 b', 'ssh-ed25519 a'],
      sshKeyDue: 'soon',
    })
    expect(keyChange(has('b', ['ssh-ed25519 a']), asKey('a')).formerSshKeys).toEqual(['ssh-ed25519 b'])
    const many = Array.from({ length: 30 }, (_, i) => `ssh-ed25519 ${i}`)
    expect(keyChange(has('b', many), asKey('c')).formerSshKeys).toHaveLength(16)
  })

  it('is due again with the disks of an earlier moment, where another key was there', () => {
    expect(keyOfThen(has('a'))).toEqual({})
    expect(keyOfThen(has('a', ['ssh-ed25519 b']))).toEqual({ sshKeyDue: 'soon' })
  })
})

describe('the SSH key of a VM', () => {
  it(
    'is given to a running guest, with the former one to be taken from it',
    atDesk(async (desk) => {
      const id = await desk.runningVm('web')
      const before = await desk.vm(id)
      const key = await newKey(desk, 'desk')
      const changes = vi.spyOn(desk.app.engine, 'changeKeys')
      expect(await update(desk, id, { ssh_key_id: key.id })).toMatchObject({
        status: 200,
        body: { ssh_key_id: key.id, ssh_key_name: 'desk', ssh_key_due: 'soon' },
      })
      await desk.pass()
      expect(await desk.vm(id)).toMatchObject({ ssh_key_name: 'desk', ssh_key_due: null, status: 'running' })
      const [, keys] = changes.mock.calls[0] ?? []
      expect(keys?.sshPublicKeys[0]).toBe(key.public_key)
      expect(keys?.formerSshPublicKeys).toHaveLength(1)
      const { body } = await desk.ada.call(activityApi.ofProject, { params: desk.params })
      expect(body.entries.map(({ message }) => message)).toContain('SSH key of VM web changed to desk')
      // The same again is no change.
      await update(desk, id, { ssh_key_id: key.id })
      await desk.pass()
      expect(changes).toHaveBeenCalledTimes(1)
      await update(desk, id, { ssh_key_id: before.ssh_key_id })
      await desk.pass()
      expect(changes.mock.calls.at(-1)?.[1].formerSshPublicKeys).toEqual([key.public_key])
    }),
  )

  it(
    'is had by a stopped VM from its next start on',
    atDesk(async (desk) => {
      const id = await desk.stoppedVm('web')
      const key = await newKey(desk, 'desk')
      expect(await update(desk, id, { ssh_key_id: key.id })).toMatchObject({
        body: { ssh_key_due: 'next_start' },
      })
      const starts = vi.spyOn(desk.app.engine, 'startMachine')
      await desk.act('start', id)
      await desk.pass()
      const like = starts.mock.calls[0]?.[1].like
      expect([like?.sshPublicKeys[0], like?.formerSshPublicKeys?.length]).toEqual([key.public_key, 1])
      expect(await desk.vm(id)).toMatchObject({ status: 'running', ssh_key_due: null })
    }),
  )

  it(
    'waits for the next start of a guest that nobody can give it to while it runs',
    atDesk(async (desk) => {
      const id = await desk.runningVm('fault-no-agent')
      await desk.pass(120_000)
      const key = await newKey(desk, 'desk')
      await update(desk, id, { ssh_key_id: key.id })
      await desk.pass()
      expect(await desk.vm(id)).toMatchObject({ status: 'running', ssh_key_due: 'next_start' })
      await desk.act('restart', id)
      await desk.pass()
      expect(await desk.vm(id)).toMatchObject({ status: 'running', ssh_key_due: null })
    }),
  )

  it(
    'is given again when a guest did not answer',
    atDesk(async (desk) => {
      const id = await desk.runningVm('web')
      const key = await newKey(desk, 'desk')
      const changes = vi.spyOn(desk.app.engine, 'changeKeys')
      changes.mockRejectedValueOnce(new Error('The guest agent is gone'))
      await update(desk, id, { ssh_key_id: key.id })
      await desk.pass(90_000)
      expect(changes.mock.calls.length).toBeGreaterThan(1)
      expect(await desk.vm(id)).toMatchObject({ ssh_key_due: null })
    }),
  )

  it(
    'is given once more after a restore to a moment with another one',
    atDesk(async (desk) => {
      const id = await desk.runningVm('web')
      const snapshotId = await desk.readyVmSnapshot(id)
      const key = await newKey(desk, 'desk')
      await update(desk, id, { ssh_key_id: key.id })
      await desk.pass()
      const changes = vi.spyOn(desk.app.engine, 'changeKeys')
      await desk.restore(snapshotId, id)
      await desk.pass(120_000)
      const vm = await desk.vm(id)
      if (vm.status === 'stopped') {
        expect(vm.ssh_key_due).toBe('next_start')
        await desk.act('start', id)
        await desk.pass()
      }
      expect(await desk.vm(id)).toMatchObject({ status: 'running', ssh_key_due: null })
      expect(changes).toHaveBeenCalledTimes(1)
    }),
  )
})

describe('a fork of it', () => {
  it(
    'has the key too, and loses those that the VM had before',
    atDesk(async (desk) => {
      const id = await desk.runningVm('web')
      const key = await newKey(desk, 'desk')
      await update(desk, id, { ssh_key_id: key.id })
      await desk.pass()
      const changes = vi.spyOn(desk.app.engine, 'changeKeys')
      const { body } = await desk.ada.call(vmApi.fork, {
        params: { ...desk.params, vmId: id },
        body: { name: 'copy' },
      })
      await desk.pass(120_000)
      expect(await desk.vm(body[0]?.id ?? '')).toMatchObject({
        status: 'running',
        ssh_key_id: key.id,
        ssh_key_due: null,
      })
      expect(changes.mock.calls.map(([vmId, keys]) => [vmId, keys.formerSshPublicKeys?.length])).toEqual([
        [body[0]?.id, 1],
      ])
    }),
  )
})

describe('it is refused', () => {
  it(
    '400 for a key that is not there or not yours, and nothing is changed',
    atDesk(async (desk) => {
      const id = await desk.runningVm('web')
      const before = await desk.vm(id)
      const bob = await desk.app.signedIn('Bob')
      const { body: his } = await bob.call(sshKeyApi.create, {
        body: { key_name: 'his', ssh_public_key: newPublicKey() },
      })
      for (const ssh_key_id of [his.id, 'nobody', ''])
        expect(await update(desk, id, { ssh_key_id, note: 'x' })).toMatchObject({
          status: 400,
          body: { message: vmTexts.sshKeyMissing, fields: { ssh_key_id: vmTexts.sshKeyMissing } },
        })
      expect(await desk.vm(id)).toEqual(before)
      // What it has may be said again, whoever's it is.
      expect((await update(desk, id, { ssh_key_id: before.ssh_key_id })).status).toBe(200)
    }),
  )

  it(
    '409 for a VM of a set',
    atDesk(async (desk) => {
      await desk.ada.raw('POST', `/api/projects/${desk.params.projectId}/vmsets`, {
        name: 'three',
        template_id: 'starter',
        ssh_key_id: desk.keyId,
        replicas: 1,
      })
      await desk.pass()
      const [member] = (await desk.ada.call(vmApi.list, { params: desk.params })).body
      const key = await newKey(desk, 'desk')
      expect(await update(desk, member?.id ?? '', { ssh_key_id: key.id })).toMatchObject({
        status: 409,
        body: { message: vmChangeTexts.ofGroup },
      })
    }),
  )

  it(
    '422 where the engine cannot, with its sentence',
    atDesk(
      async (desk) => {
        const id = await desk.runningVm('web')
        const key = await newKey(desk, 'desk')
        expect(await update(desk, id, { ssh_key_id: key.id })).toMatchObject({
          status: 422,
          body: { message: clusterLimits.changeKeys },
        })
        expect((await desk.vm(id)).ssh_key_due).toBeNull()
      },
      { cannot: { ...noLimits, changeKeys: clusterLimits.changeKeys } },
    ),
  )
})
