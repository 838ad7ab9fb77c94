import { rollOutTexts, startScriptApi, startScriptTexts } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { groupDesk } from '../group-desk.test-kit.ts'

const echo = (word: string) => `#!/bin/sh\necho ${word}\n`
const ofCloudInit = '#cloud-config\npackages: [nginx]\n'

async function desk() {
  const shop = await groupDesk()
  const { ada, at, app, pools } = shop
  /** A pool of two whose VMs run. */
  const made = (change: object = {}) =>
    pools.made({ auto_scaling: false, persistent: false, desired_size: 2, ...change })
  const scriptOf = async (vmId: string) => (await ada.call(startScriptApi.get, at('vmId', vmId))).body
  /** What the VMs of a group have printed. */
  const outputs = (vms: { id: string }[]) =>
    Promise.all(vms.map(async ({ id }) => (await scriptOf(id)).output.trim()))
  const stored = (groupId: string) =>
    app.db
      .selectFrom('vm_group_start_script')
      .select(['revision', 'script'])
      .where('group_id', '=', groupId)
      .orderBy('revision')
      .execute()
  return { ...shop, ...pools, settle: shop.pass, made, scriptOf, outputs, stored }
}

describe('rolling out a start script', () => {
  it('200 replaces the VMs by such that run it, and says so without the text', async () => {
    const { made, rollOut, get, history, settle, outputs } = await desk()
    const pool = await made({ start_script: echo('one') })
    expect(await outputs(pool.vms)).toEqual(['one', 'one'])
    const answer = await rollOut(pool.id, { start_script: echo('two') })
    expect(answer).toMatchObject({ status: 200, body: { roll_out: { revision: 2, renewed_vms: 0 } } })
    await settle(120_000)
    const rolled = await get(pool.id)
    expect(rolled).toMatchObject({ status: 'active', roll_out: { state: 'none', renewed_vms: 2 } })
    expect(await outputs(rolled.vms)).toEqual(['two', 'two'])
    const told = await history(pool.id)
    expect(told.events.map(({ message }) => message)).toContain('By Ada Lovelace: another start script')
    expect(JSON.stringify([answer.body, told, rolled])).not.toContain('echo')
  })

  it('200 does the same to a set, whose VMs keep their names', async () => {
    const { sets, settle, outputs } = await desk()
    const { id } = await sets.made({ persistent: false, start_script: echo('one') })
    expect((await sets.rollOut(id, { start_script: echo('two') })).status).toBe(200)
    await settle(120_000)
    const { vms } = await sets.get(id)
    expect(vms.map(({ name }) => name).sort()).toEqual(['web-1', 'web-2'])
    expect(await outputs(vms)).toEqual(['two', 'two'])
  })

  it('200 gives one to VMs that had none, and takes it away with null', async () => {
    const { made, rollOut, get, settle, outputs, scriptOf } = await desk()
    const pool = await made()
    await rollOut(pool.id, { start_script: echo('one') })
    await settle(120_000)
    const scripted = await get(pool.id)
    expect(await outputs(scripted.vms)).toEqual(['one', 'one'])
    await rollOut(pool.id, { start_script: null })
    await settle(120_000)
    const { vms } = await get(pool.id)
    expect(vms).toHaveLength(2)
    for (const { id } of vms) expect(await scriptOf(id)).toMatchObject({ state: 'none', script: null })
  })

  it('200 without it keeps the one there is', async () => {
    const { made, rollOut, get, settle, outputs, stored } = await desk()
    const pool = await made({ start_script: echo('one') })
    await rollOut(pool.id, { cpu: 2 })
    await settle(120_000)
    const rolled = await get(pool.id)
    expect(rolled.vms.map(({ cpu }) => cpu)).toEqual([2, 2])
    expect(await outputs(rolled.vms)).toEqual(['one', 'one'])
    expect(await stored(pool.id)).toEqual([{ revision: 1, script: echo('one') }])
  })

  it('leaves VMs that are not replaced yet what they have, also when they run it again', async () => {
    const { made, rollOut, get, settle, scriptOf, outputs, act, withoutImage } = await desk()
    const pool = await made({ start_script: echo('one') })
    const repaired = withoutImage()
    await rollOut(pool.id, { start_script: echo('two') })
    await settle(60_000)
    expect(await get(pool.id)).toMatchObject({ roll_out: { state: 'paused', renewed_vms: 0 } })
    repaired()
    await act('restart', pool.vms[0]?.id ?? '')
    await settle(60_000)
    expect(await outputs(pool.vms)).toEqual(['one', 'one'])
    for (const { id } of pool.vms) expect(await scriptOf(id)).toMatchObject({ script: echo('one') })
  })

  it('leaves a VM that comes back from the bin what it had in the group', async () => {
    const { made, rollOut, remove, settle, scriptOf, deleteVm, restoreItem, withoutImage } = await desk()
    const pool = await made({ start_script: echo('one'), persistent: true })
    withoutImage()
    await rollOut(pool.id, { start_script: echo('two'), delete_disks: true })
    await settle(60_000)
    const vmId = pool.vms[0]?.id ?? ''
    await deleteVm(vmId)
    await settle()
    await remove(pool.id)
    expect((await restoreItem(vmId)).status).toBe(200)
    await settle()
    expect(await scriptOf(vmId)).toMatchObject({ script: echo('one') })
  })

  it('goes back at once where VMs have the script of before', async () => {
    const { made, rollOut, get, settle, outputs, stored, withoutImage } = await desk()
    const pool = await made({ start_script: echo('one') })
    const repaired = withoutImage()
    await rollOut(pool.id, { start_script: echo('two') })
    await settle(60_000)
    repaired()
    const back = await rollOut(pool.id, { start_script: echo('one') })
    expect(back.body.roll_out).toMatchObject({ revision: 3, renewed_vms: 2, total_vms: 2 })
    await settle()
    const now = await get(pool.id)
    expect(now.vms.map(({ id }) => id)).toEqual(pool.vms.map(({ id }) => id))
    expect(await outputs(now.vms)).toEqual(['one', 'one'])
    // Those that nobody has any more are forgotten with the next.
    await rollOut(pool.id, { start_script: echo('three') })
    await settle(120_000)
    await rollOut(pool.id, { start_script: null })
    expect(await stored(pool.id)).toEqual([
      { revision: 4, script: echo('three') },
      { revision: 5, script: null },
    ])
  })

  it('400 names the field when no VM could run it, and 409 when nothing would change', async () => {
    const { made, rollOut, stored } = await desk()
    const refused = (field: string, message: string) => ({
      status: 400,
      body: { message, fields: { [field]: message } },
    })
    const plain = await made({ start_script: echo('one') })
    for (const [start_script, message] of [
      ['echo', startScriptTexts.form],
      [ofCloudInit, startScriptTexts.noCloudInit],
    ] as const)
      expect(await rollOut(plain.id, { start_script })).toMatchObject(refused('start_script', message))
    expect(await rollOut(plain.id, { start_script: echo('one') })).toMatchObject({
      status: 409,
      body: { message: rollOutTexts.nothing },
    })
    expect(await stored(plain.id)).toEqual([{ revision: 1, script: echo('one') }])
    const foreign = await made({ name: 'far', template_id: 'ubuntu-lts', start_script: ofCloudInit })
    const template_id = 'starter'
    expect(await rollOut(foreign.id, { template_id })).toMatchObject(
      refused('template_id', startScriptTexts.noCloudInit),
    )
    for (const start_script of [echo('one'), null])
      expect((await rollOut(foreign.id, { template_id, start_script })).status).toBe(200)
  })
})
