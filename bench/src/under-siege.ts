/**
 * A plain call of one user while others do their worst, against the same call on the same server before: downloads
 * that never end, guests that hang, and a guest that floods the line to its agent. Real QEMU, as the downloads need
 * the real importer.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { diskApi, projectApi, sshCommand, sshKeyApi, type Vm, vmApi } from '@slipway/contract'
import { clear, guestsOf, newDataDir, newKeyPair, runShown, startRealServer } from '@slipway/e2e/real'
import { newPerson, type Person } from './person.ts'
import { cpuSeconds } from './process.ts'
import { quantile, report } from './report.ts'

const downloads = 16
const hungGuests = 2
const calls = 1_500
/** Between calls: somebody who clicks, not a load test. */
const pauseMs = 20

/** A web server whose file is large and comes a byte a second. */
async function startDrip(): Promise<{ url: (i: number) => string; close: () => void }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-length': 2 ** 30, 'content-type': 'application/octet-stream' })
    const drip = setInterval(() => response.write('x'), 1_000)
    response.on('close', () => clearInterval(drip))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: (i) => `http://127.0.0.1:${port}/disk-${i}.img`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Milliseconds of each call, with pauses between them. */
async function timesOf(person: Person, path: string): Promise<number[]> {
  const spans: number[] = []
  for (let i = 0; i < calls; i++) {
    const start = performance.now()
    await person.get(path)
    spans.push(performance.now() - start)
    await sleep(pauseMs)
  }
  return spans
}

/** In place of the agent, without an end of line. */
const flood =
  "killall qemu-ga; sleep 1; (while :; do tr '\\0' x < /dev/zero; done) > /dev/virtio-ports/org.qemu.guest_agent.0"

async function startGuests(attacker: Person, projectId: string, publicKey: string): Promise<Vm[]> {
  const params = { projectId }
  const key = await attacker.call(sshKeyApi.create, {
    body: { key_name: 'siege', ssh_public_key: publicKey },
  })
  for (let i = 0; i <= hungGuests; i++) {
    await attacker.call(vmApi.create, {
      params,
      body: { name: `guest-${i}`, template_id: 'starter', ssh_key_id: key.id },
    })
  }
  for (;;) {
    const vms = await attacker.call(vmApi.list, { params })
    if (vms.every(({ status }) => status === 'running')) {
      return Promise.all(vms.map(({ id }) => attacker.call(vmApi.get, { params: { ...params, vmId: id } })))
    }
    await sleep(500)
  }
}

export async function benchUnderSiege(): Promise<boolean> {
  const dataDir = await newDataDir()
  const drip = await startDrip()
  const server = await startRealServer(dataDir, { SLIPWAY_PRIVATE_SOURCES: '127.0.0.1' })
  try {
    const [attacker, user] = [await newPerson(server), await newPerson(server)]
    const theirs = await attacker.call(projectApi.create, { body: { name: 'siege' } })
    const own = await user.call(projectApi.create, { body: { name: 'plain' } })
    const { file, publicKey } = await newKeyPair(dataDir)
    const [flooder, ...victims] = await startGuests(attacker, theirs.id, publicKey)
    await sleep(10_000)
    const path = `/api/projects/${own.id}/vms`
    await timesOf(user, path)
    const quiet = await timesOf(user, path)

    for (let i = 0; i < downloads; i++) {
      await attacker.call(diskApi.create, {
        params: { projectId: theirs.id },
        body: { name: `stuck-${i}`, size: '1Gi', source: 'HTTP', image_url: drip.url(i) },
      })
    }
    const guests = await guestsOf(dataDir)
    const pidOf = (vm: Vm) => guests.find(({ machineId }) => machineId === vm.id)?.pid ?? 0
    for (const vm of victims) process.kill(pidOf(vm), 'SIGSTOP')
    const command = flooder && sshCommand(flooder)
    if (!flooder || !command) throw new Error('There is no guest to flood with')
    await runShown(command, file, `nohup sh -c ${JSON.stringify(flood)} >/dev/null 2>&1 &`)
    const floodedFor = await cpuSeconds(pidOf(flooder))
    // Until usage has asked each of them more than once.
    await sleep(60_000)
    const siege = await timesOf(user, path)

    const began = performance.now()
    const params = { projectId: own.id }
    const disk = await user.call(diskApi.create, {
      params,
      body: { name: 'plain', size: '1Gi', source: 'EMPTY' },
    })
    for (;;) {
      const disks = await user.call(diskApi.list, { params })
      const isReady = disks.some(({ id, status }) => id === disk.id && status === 'available')
      if (isReady || performance.now() - began > 120_000) break
      await sleep(50)
    }
    const blankMs = performance.now() - began

    return report(
      `A plain call beside ${downloads} stuck downloads, ${hungGuests} hung guests and a flooding one, real QEMU`,
      [
        { what: 'quiet, median', value: quantile(quiet, 0.5), unit: 'ms', goal: null },
        { what: 'quiet, 99 %', value: quantile(quiet, 0.99), unit: 'ms', goal: null },
        { what: 'under siege, median', value: quantile(siege, 0.5), unit: 'ms', goal: null },
        { what: 'under siege, 99 %', value: quantile(siege, 0.99), unit: 'ms', goal: null },
        {
          what: 'under siege to quiet, 99 %',
          value: quantile(siege, 0.99) / quantile(quiet, 0.99),
          unit: 'x',
          goal: 2,
        },
        { what: 'under siege, the longest', value: Math.max(...siege), unit: 'ms', goal: 1_000 },
        { what: 'blank disk of the same user', value: blankMs, unit: 'ms', goal: 10_000 },
        {
          what: 'the flooding guest worked for',
          value: (await cpuSeconds(pidOf(flooder))) - floodedFor,
          unit: 's',
          goal: null,
        },
      ],
    )
  } finally {
    for (const { pid } of await guestsOf(dataDir)) process.kill(pid, 'SIGCONT')
    await server.stop()
    drip.close()
    await clear(dataDir)
  }
}
