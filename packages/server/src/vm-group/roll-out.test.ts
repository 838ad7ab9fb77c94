import { activityApi, rollOutTexts, sshKeyApi, templateApi } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import { newPublicKey, type TestAppOptions } from '../app.test-kit.ts'
import { groupDesk } from '../group-desk.test-kit.ts'

async function desk(options?: TestAppOptions) {
  const shop = await groupDesk(options)
  /** A pool of two whose VMs run. */
  const made = (change: object = {}) =>
    shop.pools.made({ auto_scaling: false, persistent: false, desired_size: 2, ...change })
  const events = async (poolId: string) =>
    (await shop.pools.history(poolId)).events.map(({ message }) => message)
  return { ...shop, ...shop.pools, made, settle: shop.pass, events }
}

const sizesOf = (group: { vms: { cpu: number; memory_mb: number }[] }) =>
  group.vms.map(({ cpu, memory_mb }) => `${cpu} ${memory_mb}`)

describe('rolling out to a pool', () => {
  it('200 replaces its VMs one by one, never fewer than wanted, and says how far it is', async () => {
    const { made, rollOut, get, events, app, ada, params } = await desk()
    const pool = await made()
    expect(pool.roll_out).toEqual({ revision: 1, state: 'none', message: null, renewed_vms: 2, total_vms: 2 })
    expect(pool.revisions).toEqual(pool.vms.map(({ id }) => ({ vm_id: id, revision: 1 })))
    const answer = await rollOut(pool.id, { cpu: 2, memory_mb: 1024 })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        status: 'scaling',
        cpu: 2,
        memory_mb: 1024,
        roll_out: { revision: 2, state: 'running', message: null, renewed_vms: 0, total_vms: 2 },
      },
    })
    const seen = new Set<string>()
    for (let i = 0; i < 600; i++) {
      await app.clock.advance(200)
      const now = await get(pool.id)
      const running = now.vms.filter(({ status }) => status === 'running').length
      expect(running).toBeGreaterThanOrEqual(2)
      expect(now.vms.length).toBeLessThanOrEqual(3)
      seen.add(`${now.roll_out.renewed_vms} of ${now.roll_out.total_vms}`)
      if (now.roll_out.state === 'none') break
    }
    expect([...seen]).toEqual(['1 of 3', '2 of 3', '2 of 2'])
    const rolled = await get(pool.id)
    expect(rolled).toMatchObject({ status: 'active', current_size: 2 })
    expect(sizesOf(rolled)).toEqual(['2 1024', '2 1024'])
    expect(rolled.revisions.map(({ revision }) => revision)).toEqual([2, 2])
    const said = await events(pool.id)
    expect(said[0]).toBe('All VMs have the new settings')
    expect(said).toContain('By Ada Lovelace: 1 core to 2 cores, 256 MB to 1.0 GB')
    const { body } = await ada.call(activityApi.ofProject, { params })
    expect(body.entries.map(({ message }) => message)).toContain('Pool web has new settings on all its VMs')
  })

  it('200 gives them another template and SSH key', async () => {
    const { made, rollOut, get, settle, ada } = await desk()
    const pool = await made()
    const { body: key } = await ada.call(sshKeyApi.create, {
      body: { key_name: 'desk', ssh_public_key: newPublicKey() },
    })
    const { body: templates } = await ada.call(templateApi.list)
    const template_id = templates.find(({ id }) => id !== 'starter')?.id ?? ''
    expect((await rollOut(pool.id, { template_id, ssh_key_id: key.id })).status).toBe(200)
    await settle(120_000)
    const rolled = await get(pool.id)
    expect(rolled).toMatchObject({ status: 'active', template_id, ssh_key_name: 'desk' })
    for (const vm of rolled.vms)
      expect(vm).toMatchObject({ status: 'running', template_id, ssh_key_name: 'desk' })
  })

  it('pauses when a new VM cannot be created, keeps the old ones, and tries again only when somebody says so', async () => {
    const { made, rollOut, resume, get, settle, app, ada, params, withoutImage } = await desk()
    const pool = await made()
    const repaired = withoutImage()
    await rollOut(pool.id, { cpu: 2 })
    await settle(60_000)
    const paused = await get(pool.id)
    expect(paused.roll_out).toMatchObject({ state: 'paused', renewed_vms: 0 })
    expect(paused.roll_out.message).toMatch(/^"web-3" could not be created\. .*It is being repaired\./)
    expect(paused.status).toBe('error')
    expect(paused.status_message).toMatch(/^The roll-out is paused, and no VM is created\. /)
    expect(paused.vms.map(({ id, status }) => [id, status])).toEqual(
      pool.vms.map(({ id }) => [id, 'running']),
    )
    const count = async () => (await app.db.selectFrom('activity').select('id').execute()).length
    const before = await count()
    await settle(60 * 60_000)
    expect(await count()).toBe(before)
    const { body } = await ada.call(activityApi.ofProject, { params })
    const failure = body.entries.find(({ message }) => message === 'Pool web needs attention')
    expect(failure?.reason).toContain('It is being repaired.')
    repaired()
    expect(await resume(pool.id)).toMatchObject({
      status: 200,
      body: { status: 'scaling', roll_out: { state: 'running', message: null } },
    })
    await settle(120_000)
    expect(sizesOf(await get(pool.id))).toEqual(['2 256', '2 256'])
    expect(await get(pool.id)).toMatchObject({ status: 'active', roll_out: { state: 'none' } })
  })

  it.each([
    [{ cpu: 2 }, { cpu: 1 }],
    [{ root_disk_gb: 40 }, { root_disk_gb: 30 }],
  ])(
    'goes back from %j to the settings before: those that have them stay as they are',
    async (change, back) => {
      const { made, rollOut, get, settle, withoutImage } = await desk()
      const pool = await made({ root_disk_gb: 30 })
      const repaired = withoutImage()
      await rollOut(pool.id, change)
      await settle(60_000)
      repaired()
      expect((await rollOut(pool.id, back)).body.roll_out).toMatchObject({ renewed_vms: 2, total_vms: 2 })
      await settle()
      const now = await get(pool.id)
      expect(now).toMatchObject({ status: 'active', ...back, roll_out: { state: 'none', revision: 3 } })
      expect(now.vms.map(({ id }) => id)).toEqual(pool.vms.map(({ id }) => id))
    },
  )

  it('stops where it is; new VMs have the new settings, and it can go on later', async () => {
    const { made, rollOut, stop, resume, resize, get, settle, withoutImage } = await desk()
    const pool = await made()
    const repaired = withoutImage()
    await rollOut(pool.id, { cpu: 2 })
    await settle(60_000)
    repaired()
    expect(await stop(pool.id)).toMatchObject({ status: 200, body: { roll_out: { state: 'none' } } })
    await settle()
    expect(await get(pool.id)).toMatchObject({ status: 'active', roll_out: { renewed_vms: 0, total_vms: 2 } })
    await resize(pool.id, 3)
    await settle()
    expect(sizesOf(await get(pool.id))).toEqual(['1 256', '1 256', '2 256'])
    expect(await resume(pool.id)).toMatchObject({ status: 409, body: { message: rollOutTexts.notPaused } })
    expect(await stop(pool.id)).toMatchObject({ status: 409, body: { message: rollOutTexts.noneRuns } })
    expect((await rollOut(pool.id, {})).body.roll_out).toMatchObject({ state: 'running', revision: 2 })
    await settle(120_000)
    expect(sizesOf(await get(pool.id))).toEqual(['2 256', '2 256', '2 256'])
    expect(await rollOut(pool.id, {})).toMatchObject({ status: 409, body: { message: rollOutTexts.nothing } })
    expect(await rollOut(pool.id, { cpu: 2 })).toMatchObject({ status: 409 })
  })

  it('pauses for a VM that is protected against deletion, and goes on without the protection', async () => {
    const { made, rollOut, resume, get, settle, protect } = await desk()
    const pool = await made()
    const vmId = pool.vms[0]?.id ?? ''
    await protect(vmId, true)
    await rollOut(pool.id, { cpu: 2 })
    await settle(120_000)
    const paused = await get(pool.id)
    expect(paused.roll_out).toMatchObject({
      state: 'paused',
      message: '"web-1" is protected against deletion. Turn its protection off.',
      renewed_vms: 1,
    })
    expect(paused.vms.map(({ id }) => id)).toContain(vmId)
    await protect(vmId, false)
    await resume(pool.id)
    await settle(120_000)
    expect(sizesOf(await get(pool.id))).toEqual(['2 256', '2 256'])
  })

  it('pauses when a limit leaves no room for the one more that it needs', async () => {
    const { made, rollOut, get, settle } = await desk({ maxVmsPerProject: 2 })
    const pool = await made()
    await rollOut(pool.id, { cpu: 2 })
    await settle()
    const paused = await get(pool.id)
    expect(paused.roll_out).toMatchObject({ state: 'paused' })
    expect(paused.roll_out.message).toMatch(/^A VM could not be created\. This project uses 2 of its 2 VMs/)
    expect(paused.vms).toHaveLength(2)
  })

  it('400 names the field and changes nothing', async () => {
    const { made, rollOut, get } = await desk()
    const pool = await made()
    for (const [body, field] of [
      [{ cpu: 0 }, 'cpu'],
      [{ cpu: 1.5 }, 'cpu'],
      [{ memory_mb: 1 }, 'memory_mb'],
      [{ template_id: 'no-such' }, 'template_id'],
      [{ template_id: '' }, 'template_id'],
      [{ ssh_key_id: 'nobodys' }, 'ssh_key_id'],
      [{ cpu: 2, delete_disks: 'yes' }, 'delete_disks'],
    ] as const) {
      const { status, body: refusal } = await rollOut(pool.id, body)
      expect({ status, fields: Object.keys(Object(refusal).fields) }).toEqual({
        status: 400,
        fields: [field],
      })
    }
    expect(await get(pool.id)).toEqual(pool)
  })

  it.each([[{ persistent: true }], [{ disks: [{ name: 'data', size: '1Gi' }] }]])(
    '400 for a pool with %j until somebody accepts that its disks are deleted',
    async (change) => {
      const { made, rollOut, get, settle, disks } = await desk()
      const pool = await made(change)
      const before = await disks()
      expect(await rollOut(pool.id, { cpu: 2 })).toMatchObject({
        status: 400,
        body: { message: rollOutTexts.deleteDisks, fields: { delete_disks: rollOutTexts.deleteDisks } },
      })
      expect(await get(pool.id)).toEqual(pool)
      expect((await rollOut(pool.id, { cpu: 2, delete_disks: true })).status).toBe(200)
      await settle(120_000)
      expect(sizesOf(await get(pool.id))).toEqual(['2 256', '2 256'])
      const after = await disks()
      expect(after).toHaveLength(before.length)
      expect(after.some(({ id }) => before.some((disk) => disk.id === id))).toBe(false)
    },
  )

  it('409 for VMs that are made of a snapshot', async () => {
    const { create, rollOut, runningVm, readyVmSnapshot } = await desk()
    const snapshot_id = await readyVmSnapshot(await runningVm('first'))
    const { body: pool } = await create({ snapshot_id, auto_scaling: false })
    expect(await rollOut(pool.id, { cpu: 2 })).toMatchObject({
      status: 409,
      body: { message: rollOutTexts.ofSnapshot },
    })
  })

  it('404 for a set', async () => {
    const { rollOut, resume, stop, sets } = await desk()
    const { id } = (await sets.create()).body
    for (const answer of [await rollOut(id, { cpu: 2 }), await resume(id), await stop(id)])
      expect(answer.status).toBe(404)
  })

  it('goes on in the bin where it was, once the pool is restored', async () => {
    const { made, rollOut, get, remove, restoreItem, settle } = await desk()
    const pool = await made()
    await rollOut(pool.id, { cpu: 2 })
    await remove(pool.id)
    await settle(60_000)
    await restoreItem(pool.id)
    await settle(240_000)
    expect(sizesOf(await get(pool.id))).toEqual(['2 256', '2 256'])
  })
})

describe('rolling out to a set', () => {
  async function setDesk() {
    const shop = await groupDesk()
    const { id } = await shop.sets.made({ replicas: 3, persistent: false })
    return { ...shop, ...shop.sets, id, now: () => shop.sets.get(id), settle: shop.pass }
  }

  it('200 replaces its VMs in place under their names, one at a time', async () => {
    const { app, id, now, rollOut } = await setDesk()
    const before = await now()
    expect(await rollOut(id, { cpu: 2 })).toMatchObject({
      status: 200,
      body: { status: 'creating', roll_out: { state: 'running' } },
    })
    for (let i = 0; i < 600; i++) {
      await app.clock.advance(200)
      const { vms, roll_out } = await now()
      expect(vms.length).toBeLessThanOrEqual(3)
      expect(vms.filter(({ status }) => status === 'running').length).toBeGreaterThanOrEqual(2)
      if (roll_out.state === 'none') break
    }
    const after = await now()
    expect(after).toMatchObject({ status: 'active', vm_stats: { total_vms: 3, running_vms: 3 } })
    expect(sizesOf(after)).toEqual(['2 256', '2 256', '2 256'])
    expect(after.vms.map(({ name }) => name).sort()).toEqual(['web-1', 'web-2', 'web-3'])
    expect(after.vms.some((vm) => before.vms.some(({ id }) => id === vm.id))).toBe(false)
  })

  it('pauses and is one VM short when a new one fails; stopped, it creates that one as ever', async () => {
    const { id, now, rollOut, stop, resume, settle, withoutImage } = await setDesk()
    const repaired = withoutImage()
    await rollOut(id, { cpu: 2 })
    await settle(120_000)
    expect((await now()).roll_out).toMatchObject({ state: 'paused', renewed_vms: 0, total_vms: 2 })
    repaired()
    await settle(60 * 60_000)
    expect((await now()).vms).toHaveLength(2)
    expect((await stop(id)).status).toBe(200)
    await settle()
    const stopped = await now()
    expect(stopped).toMatchObject({ status: 'active', roll_out: { state: 'none', renewed_vms: 1 } })
    expect(sizesOf(stopped).sort()).toEqual(['1 256', '1 256', '2 256'])
    expect((await resume(id)).status).toBe(409)
  })

  it('400 is that of the set', async () => {
    const { id, rollOut } = await setDesk()
    expect(await rollOut(id, { template_id: 'no-such' })).toMatchObject({
      status: 400,
      body: { message: 'Please select a template.' },
    })
  })
})
