import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@playwright/test'
import { vmApi } from '@slipway/contract'
import { test } from '../measured.ts'
import type { Server } from '../server.ts'
import { makeLedger } from './ledger.ts'
import { newOwner } from './owner.ts'
import { clear, guestsOf, newDataDir, startRealServer } from './real.ts'
import { seededRandom } from './seed.ts'

const rounds = 20
const settled = ['running', 'stopped', 'failed', 'error']

let dataDir: string
let server: Server

test.beforeAll(async () => {
  dataDir = await newDataDir()
  server = await startRealServer(dataDir)
})

test.afterAll(async () => {
  await server?.stop()
  if (dataDir) await clear(dataDir)
})

test('a server killed at twenty random moments loses no VM, brings none back, orphans no guest and lies about no state', async ({
  request,
}) => {
  const { call, must, list, create, of, params } = await newOwner(request, () => server)
  const random = seededRandom()
  const ledger = makeLedger()
  const expectNoneLostOrBack = async () => {
    const listed = await must(vmApi.list, { params })
    expect(ledger.brokenBy(listed.map(({ id }) => id))).toEqual([])
  }

  async function act(round: number): Promise<void> {
    const vms = await list()
    const vm = vms[round % Math.max(1, vms.length)]
    const one = of(vm?.id ?? '')
    if (!vm || vms.length < 2 || round % 5 === 0) {
      const made = await create(`round-${round}`, { persistent: round % 2 === 0 })
      if (made) ledger.created(made.id)
    } else if (round % 7 === 3 || vms.length > 4) {
      await ledger.deletes(vm.id, () => call(vmApi.delete, one))
    } else if (vm.status === 'running') {
      await call(round % 2 === 0 ? vmApi.stop : vmApi.restart, one as never)
    } else {
      await call(vmApi.start, one)
    }
  }

  for (let round = 0; round < rounds; round++) {
    const acting = act(round)
    // Sometimes in the middle of the call, sometimes while the guest is half way.
    await sleep(random.below(random.chance(0.5) ? 80 : 2_500))
    await server.kill()
    await acting
    server = await startRealServer(dataDir)
    await expectNoneLostOrBack()
  }

  await expect
    .poll(async () => (await list()).filter((vm) => !settled.includes(vm.status)).map((vm) => vm.status), {
      intervals: [1_000],
    })
    .toEqual([])
  await expectNoneLostOrBack()
  const vms = await list()
  for (const vm of vms) expect(['failed', 'error'].includes(vm.status) && !vm.status_message).toBe(false)
  const ids = vms.map((vm) => vm.id).sort()
  const running = vms
    .filter((vm) => vm.status === 'running')
    .map((vm) => vm.id)
    .sort()
  await expect
    .poll(async () => (await guestsOf(dataDir)).map((guest) => guest.machineId).sort())
    .toEqual(running)
  await expect
    .poll(async () => (await readdir(`${dataDir}/machines`)).filter((id) => !ids.includes(id)))
    .toEqual(['.slipway'])

  for (const vm of vms) await ledger.deletes(vm.id, () => must(vmApi.delete, of(vm.id)))
  await expect.poll(() => guestsOf(dataDir)).toEqual([])
  await expectNoneLostOrBack()
  await expect.poll(() => readdir(`${dataDir}/machines`)).toEqual(['.slipway'])
})
