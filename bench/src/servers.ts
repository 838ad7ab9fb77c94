/** Two servers on one PostgreSQL, over a shared simulated engine: events to a thousand listeners, and one that is killed. */
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectApi, sshKeyApi, vmApi } from '@slipway/contract'
import type { Server } from '@slipway/e2e/server'
import { type Installation, startInstallation } from '@slipway/e2e/servers'
import { newPublicKey } from './fleet.ts'
import { newPerson, type Person } from './person.ts'
import { memoryMb } from './process.ts'
import { quantile, report } from './report.ts'

const listeners = 36
/** An account may have thirty. */
const streamsOfOne = 28
const vms = 200

export async function benchServers(): Promise<boolean> {
  const installation = await startInstallation(2, { SLIPWAY_SIMULATED_SPEED: '20' })
  try {
    const hears = await benchStreams(installation)
    return (await benchTakeover(installation)) && hears
  } finally {
    await installation.stop()
  }
}

/** Streams of all projects of an account, half of them at each server; `heard` is told of each event with a text. */
async function openStreams(servers: readonly Server[], { cookie }: Person, heard: (text: string) => void) {
  const open: IncomingMessage[] = []
  for (let i = 0; i < streamsOfOne; i++) {
    const server = servers[i % servers.length]
    if (!server) throw new Error('There is no server')
    const stream = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { cookie }
      get(new URL('/api/events', server.url), { agent: false, headers }, resolve).on('error', reject)
    })
    if (stream.statusCode !== 200) throw new Error(`A stream answered ${stream.statusCode}`)
    stream.setEncoding('utf8').on('data', heard)
    // The server ends with them open.
    stream.on('error', () => {})
    open.push(stream)
  }
  return () => {
    for (const stream of open) stream.destroy()
  }
}

async function benchStreams({ servers }: Installation): Promise<boolean> {
  const [first, second] = servers()
  if (!first || !second) throw new Error('There are no two servers')
  const both = [first, second]
  const before = await Promise.all(both.map(({ pid }) => memoryMb(pid)))
  const people: { person: Person; wait: (name: string) => Promise<void>; close: () => void }[] = []
  for (let i = 0; i < listeners; i++) {
    const person = await newPerson(first)
    let wanted: { name: string; left: number; done: () => void } | null = null
    const close = await openStreams(both, person, (text) => {
      if (!wanted || !text.includes(wanted.name)) return
      wanted.left--
      if (wanted.left === 0) wanted.done()
    })
    const wait = (name: string) =>
      new Promise<void>((done) => {
        wanted = { name, left: streamsOfOne, done }
      })
    people.push({ person, wait, close })
  }
  await sleep(1_000)
  const lags: number[] = []
  for (let round = 0; round < 5; round++) {
    for (const [i, { person, wait }] of people.entries()) {
      const name = `project-${round}-${i}`
      const all = wait(name)
      await person.call(projectApi.create, { body: { name } })
      const committed = performance.now()
      await all
      // The event may be quicker than the answer.
      lags.push(Math.max(0, performance.now() - committed))
    }
  }
  const after = await Promise.all(both.map(({ pid }) => memoryMb(pid)))
  for (const { close } of people) close()
  const more = Math.max(...after.map((mb, i) => mb - (before[i] ?? 0)))
  return report(`${listeners * streamsOfOne} event streams at two servers`, [
    { what: 'answer to last stream, median', value: quantile(lags, 0.5), unit: 'ms', goal: null },
    { what: 'answer to last stream, 95 %', value: quantile(lags, 0.95), unit: 'ms', goal: 300 },
    { what: 'memory of a server with half of them', value: Math.max(...after), unit: 'MB', goal: null },
    { what: 'of that for the streams, at most', value: more, unit: 'MB', goal: null },
  ])
}

async function benchTakeover({ servers, driver }: Installation): Promise<boolean> {
  const holder = await driver()
  const other = servers().find((server) => server !== holder)
  if (!other) throw new Error('There is no other server')
  const person = await newPerson(other)
  const project = await person.call(projectApi.create, { body: { name: 'takeover' } })
  const key = await person.call(sshKeyApi.create, {
    body: { key_name: 'bench', ssh_public_key: newPublicKey() },
  })
  const params = { projectId: project.id }
  const list = () => person.call(vmApi.list, { params })
  for (let i = 0; i < vms; i++) {
    const body = { name: `vm-${i}`, template_id: 'starter', ssh_key_id: key.id }
    await person.call(vmApi.create, { params, body })
  }
  await holder.kill()
  const killed = performance.now()
  const running = async () => (await list()).filter(({ status }) => status === 'running').length
  const atKill = await running()
  while (!other.output().includes('This server drives from now on.')) await sleep(20)
  const drives = performance.now() - killed
  while ((await running()) <= atKill && atKill < vms) await sleep(50)
  const reconciles = performance.now() - killed
  while ((await running()) < vms) await sleep(100)
  const all = performance.now() - killed
  const names = new Set((await list()).map(({ name }) => name))
  return report(`kill -9 of the server that drives while ${vms} VMs come up`, [
    { what: 'VMs that were not up yet', value: vms - atKill, unit: '', goal: null },
    { what: 'until another one drives', value: drives / 1_000, unit: 's', goal: 10 },
    { what: 'until the next VM is up', value: reconciles / 1_000, unit: 's', goal: null },
    { what: 'until all are up', value: all / 1_000, unit: 's', goal: null },
    { what: 'lost or doubled', value: vms - names.size, unit: '', goal: 0 },
  ])
}
