import type { BatchWithItems, Disk } from '@slipway/contract'
import { afterAll, expect, it } from 'vitest'
import { startWorld } from './cli.test-kit.ts'
import { makeDriver } from './driver.test-kit.ts'
import { exitCodes } from './failure.ts'

const world = await startWorld()
afterAll(() => world.stop())

const { run, ok, json } = makeDriver(world.run.bind(world), {
  SLIPWAY_SERVER: world.server.url,
  SLIPWAY_TOKEN: world.token,
})

const newDisk = async (name: string) =>
  (await json<Disk>('disk', 'create', name, '1Gi', 'EMPTY', '--wait')).id

it('ends when the batch has, and shows what came of each', async () => {
  await ok('project', 'create', 'shop')
  const ids = [await newDisk('one'), await newDisk('two')]
  const shown = await ok('batch', 'create', 'disk.delete', ids.join(), '--wait')
  expect(shown).toMatch(
    /^id +\S+\n[\s\S]*\nended_at +\d[\s\S]*\nITEMS\n {2}NAME +STATE[\s\S]*\n {2}one +done[\s\S]*\n {2}two +done/,
  )
  expect(await json<Disk[]>('disk', 'list')).toEqual([])
})

it('fails when a call was refused, whether it waits at once or later', async () => {
  await ok('vm', 'create', 'web', 'starter', 'laptop', '--wait')
  const ids = [await newDisk('data'), await newDisk('spare')]
  await ok('disk', 'attach', 'data', 'web')
  const refused = 'Disk is attached to a VM. Detach it first.'
  const words = ['batch', 'create', 'disk.delete', ids.join(), '--wait', '--json']
  const outcome = await run(words)
  expect(outcome).toMatchObject({
    code: exitCodes.failed,
    stderr: '1 of 2 requested, 1 failed.\n',
    answered: 'batch.get 200',
  })
  const batch = JSON.parse(outcome.stdout) as BatchWithItems
  expect(batch).toMatchObject({
    items: [{ id: ids[0], state: 'failed', message: refused }, { state: 'done' }],
  })

  const later = await run(['batch', 'wait', batch.id])
  expect(later).toMatchObject({ code: exitCodes.failed, stderr: '1 of 2 requested, 1 failed.\n' })
  expect(later.stdout).toContain(refused)
})

it('without it a batch is only asked for', async () => {
  const [data] = await json<Disk[]>('disk', 'list')
  const words = ['batch', 'create', 'disk.delete', data?.id ?? '']
  expect(await run(words)).toMatchObject({ code: exitCodes.done, answered: 'batch.create 201' })
  expect(await run(['batch', 'wait', 'none'])).toMatchObject({
    code: exitCodes.notFound,
    stderr: 'There is no batch with the name or id "none".\n',
  })
  expect(await run(['batch', 'wait'])).toMatchObject({
    code: exitCodes.usage,
    stderr: 'Usage: slipway batch wait BATCH [--timeout SECONDS]\n',
  })
})
