import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { overlap, parseRange } from '../../../lib/address-range.ts'
import { run } from '../../../lib/command.ts'
import { missing } from '../qemu-engine.test-kit.ts'
import { FORWARDER_PORT } from './names.ts'
import { namespaceOf } from './namespace.ts'
import { makeProjectNetworks } from './project-networks.ts'
import { uplinkOf } from './space.ts'
import { whyNoProjectNetworks } from './trial.ts'
import { chooseSpace } from './uplink.ts'

const why = missing ?? (process.getuid?.() === 0 ? await whyNoProjectNetworks() : 'it takes root')
if (why) console.log(`SKIPPED: "a range of addresses that another serves in", because ${why}`)

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** What is left of an installation whose link somebody removed: a program that serves at its end of the way out. */
async function serveAt(address: string): Promise<ChildProcess> {
  await run('ip', ['route', 'add', 'local', address, 'dev', 'lo'])
  const script = `require('node:net').createServer().listen(${FORWARDER_PORT}, '${address}', () => console.log('listening'))`
  const program = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(program.stdout, 'data')
  await run('ip', ['route', 'delete', 'local', address, 'dev', 'lo'])
  return program
}

test.skipIf(why)('a range of addresses that another serves in is left to it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-contested-'))
  ends.push(() => rm(dataDir, { recursive: true }))
  const namespace = namespaceOf(dataDir)
  const wished = await chooseSpace(namespace, { named: null, usedSoFar: null, contested: [] })
  const other = await serveAt(uplinkOf(wished).host)
  ends.push(async () => other.kill('SIGKILL'))

  const [project, machine] = [randomUUID(), randomUUID()]
  const alive = new Set<string>()
  const networks = makeProjectNetworks({
    ...{ dataDir, namespace, named: null, living: () => alive, isMade: async () => true, isOn: () => true },
    log: { warn: () => {}, error: () => {} },
  })
  await networks.open()
  await networks.assign(project, machine)
  const { plug, done } = await networks.join(machine)
  ends.push(async () => {
    done()
    await networks.close()
  })
  const ip = parseRange(`${plug.ip}/32`)
  expect(ip && overlap(ip, wished)).toBe(false)
  const routes = await run('ip', ['-4', 'route', 'show', 'dev', namespace.link])
  expect(routes).not.toContain(uplinkOf(wished).host)
  expect(await networks.addresses(project)).toEqual(new Map([[machine, plug.ip]]))
})
