import { vmPoolApi } from '@slipway/contract'
import { expect } from 'vitest'
import { countRows, rowsOf } from '../db/rows.test-kit.ts'
import { it } from '../desk.test-kit.ts'

it('a look at a VM, its events and those of a group read no disks but its own', async ({ desk }) => {
  const { ada, params, keyId } = desk
  const group = { name: 'web', template_id: 'starter', ssh_key_id: keyId, max_size: 3 }
  const pool = await ada.call(vmPoolApi.create, { params, body: group })
  const { vmId } = await desk.vmWithDisk('web')
  const count = countRows(desk.app.db)
  const deeds = {
    get: () => desk.vm(vmId),
    restart: () => desk.done(desk.act('restart', vmId)),
    group: () => ada.call(vmPoolApi.get, { params: { ...params, poolId: pool.body.id } }),
  }
  const few: Record<string, number> = {}
  for (const [name, act] of Object.entries(deeds)) few[name] = await rowsOf(count, act)

  for (let i = 0; i < 60; i++) await desk.createDisk({ name: `spare-${i}` })
  await desk.pass()
  await desk.done(desk.deleteVm(await desk.runningVm('other')))
  expect(await rowsOf(count, deeds.get)).toBe(few.get)
  expect(await rowsOf(count, deeds.group)).toBe(few.group)
  // The server looks at everything now and then: once for each disk, not for each disk and event.
  expect(await rowsOf(count, deeds.restart)).toBeLessThan((few.restart ?? 0) + 4 * 60)
})
