/** The SSH key of a VM that is there is changed, through the real app. */
import { sshKeyApi, vmTexts } from '@slipway/contract'
import { describe, expect, vi } from 'vitest'
import { newPublicKey } from '../app.test-kit.ts'
import { type Desk, deskWith, it, refusal } from '../desk.test-kit.ts'
import { clusterLimits, noLimits } from '../engine/limits.ts'
import { keyChange, keyOfThen } from './vm.change.ts'

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
  it('is given to a running guest, with the former one to be taken from it', async ({ desk }) => {
    const id = await desk.runningVm('web')
    const before = await desk.vm(id)
    const key = await newKey(desk, 'desk')
    const changes = vi.spyOn(desk.app.engine, 'changeKeys')
    expect(await desk.changeVm(id, { ssh_key_id: key.id })).toMatchObject({
      status: 200,
      body: { ssh_key_id: key.id, ssh_key_name: 'desk', ssh_key_due: 'soon' },
    })
    await desk.pass()
    expect(await desk.vm(id)).toMatchObject({ ssh_key_name: 'desk', ssh_key_due: null, status: 'running' })
    const [, keys] = changes.mock.calls[0] ?? []
    expect(keys?.sshPublicKeys[0]).toBe(key.public_key)
    expect(keys?.formerSshPublicKeys).toHaveLength(1)
    expect(await desk.told()).toContain('SSH key of VM web changed to desk')
    // The same again is no change.
    await desk.done(desk.changeVm(id, { ssh_key_id: key.id }))
    expect(changes).toHaveBeenCalledTimes(1)
    await desk.done(desk.changeVm(id, { ssh_key_id: before.ssh_key_id }))
    expect(changes.mock.calls.at(-1)?.[1].formerSshPublicKeys).toEqual([key.public_key])
  })

  it('is had by a stopped VM from its next start on', async ({ desk }) => {
    const id = await desk.stoppedVm('web')
    const key = await newKey(desk, 'desk')
    expect(await desk.changeVm(id, { ssh_key_id: key.id })).toMatchObject({
      body: { ssh_key_due: 'next_start' },
    })
    const starts = vi.spyOn(desk.app.engine, 'startMachine')
    await desk.done(desk.act('start', id))
    const like = starts.mock.calls[0]?.[1].like
    expect([like?.sshPublicKeys[0], like?.formerSshPublicKeys?.length]).toEqual([key.public_key, 1])
    expect(await desk.vm(id)).toMatchObject({ status: 'running', ssh_key_due: null })
  })

  it('waits for the next start of a guest that nobody can give it to while it runs', async ({ desk }) => {
    const id = await desk.runningVm('fault-no-agent')
    await desk.pass(120_000)
    const key = await newKey(desk, 'desk')
    await desk.done(desk.changeVm(id, { ssh_key_id: key.id }))
    expect(await desk.vm(id)).toMatchObject({ status: 'running', ssh_key_due: 'next_start' })
    await desk.done(desk.act('restart', id))
    expect(await desk.vm(id)).toMatchObject({ status: 'running', ssh_key_due: null })
  })

  it('is given again when a guest did not answer', async ({ desk }) => {
    const id = await desk.runningVm('web')
    const key = await newKey(desk, 'desk')
    const changes = vi.spyOn(desk.app.engine, 'changeKeys')
    changes.mockRejectedValueOnce(new Error('The guest agent is gone'))
    await desk.changeVm(id, { ssh_key_id: key.id })
    await desk.pass(90_000)
    expect(changes.mock.calls.length).toBeGreaterThan(1)
    expect(await desk.vm(id)).toMatchObject({ ssh_key_due: null })
  })

  it('is given once more after a restore to a moment with another one', async ({ desk }) => {
    const id = await desk.runningVm('web')
    const snapshotId = await desk.readyVmSnapshot(id)
    const key = await newKey(desk, 'desk')
    await desk.done(desk.changeVm(id, { ssh_key_id: key.id }))
    const changes = vi.spyOn(desk.app.engine, 'changeKeys')
    await desk.restore(snapshotId, id)
    await desk.pass(120_000)
    const vm = await desk.vm(id)
    if (vm.status === 'stopped') {
      expect(vm.ssh_key_due).toBe('next_start')
      await desk.done(desk.act('start', id))
    }
    expect(await desk.vm(id)).toMatchObject({ status: 'running', ssh_key_due: null })
    expect(changes).toHaveBeenCalledTimes(1)
  })
})

describe('a fork of it', () => {
  it('has the key too, and loses those that the VM had before', async ({ desk }) => {
    const id = await desk.runningVm('web')
    const key = await newKey(desk, 'desk')
    await desk.done(desk.changeVm(id, { ssh_key_id: key.id }))
    const changes = vi.spyOn(desk.app.engine, 'changeKeys')
    const { body } = await desk.fork(id)
    await desk.pass(120_000)
    expect(await desk.vm(body[0]?.id ?? '')).toMatchObject({
      status: 'running',
      ssh_key_id: key.id,
      ssh_key_due: null,
    })
    expect(changes.mock.calls.map(([vmId, keys]) => [vmId, keys.formerSshPublicKeys?.length])).toEqual([
      [body[0]?.id, 1],
    ])
  })
})

describe('it is refused', () => {
  it('400 for a key that is not there or not yours, and nothing is changed', async ({ desk }) => {
    const id = await desk.runningVm('web')
    const before = await desk.vm(id)
    const bob = await desk.app.signedIn('Bob')
    const { body: his } = await bob.call(sshKeyApi.create, {
      body: { key_name: 'his', ssh_public_key: newPublicKey() },
    })
    for (const ssh_key_id of [his.id, 'nobody', ''])
      expect(await desk.changeVm(id, { ssh_key_id, note: 'x' })).toMatchObject(
        refusal(400, vmTexts.sshKeyMissing, 'ssh_key_id'),
      )
    expect(await desk.vm(id)).toEqual(before)
    // What it has may be said again, whoever's it is.
    expect((await desk.changeVm(id, { ssh_key_id: before.ssh_key_id })).status).toBe(200)
  })

  it('422 where the engine cannot, with its sentence', async () => {
    const desk = await deskWith({ cannot: { ...noLimits, changeKeys: clusterLimits.changeKeys } })
    const id = await desk.runningVm('web')
    const key = await newKey(desk, 'desk')
    expect(await desk.changeVm(id, { ssh_key_id: key.id })).toMatchObject(
      refusal(422, clusterLimits.changeKeys),
    )
    expect((await desk.vm(id)).ssh_key_due).toBeNull()
  })
})
