/** A set of three that is a cluster: its members find each other by name, agree, and no stranger takes part. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { hostApi, vmApi, vmSetApi } from '@slipway/contract'
import { test } from '../measured.ts'
import type { Server } from '../server.ts'
import { type Etcd, fetchEtcd, putProgram, startMember } from './etcd.ts'
import { newOrdinaryUser, whyNoOrdinaryUser } from './ordinary-user.ts'
import { newOwner, type Owner } from './owner.ts'
import { clear, newDataDir, startRealServer } from './real.ts'

test.describe.configure({ mode: 'serial' })
test.setTimeout(900_000)

let dir: string
let etcd: Etcd
test.beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'slipway-etcd-'))
  etcd = await fetchEtcd(dir)
})
test.afterAll(() => rm(dir, { recursive: true, force: true }))

/** Who runs the server. */
interface Host {
  dataDir: string
  start: () => Promise<Server>
  close: () => Promise<void>
}

async function ofRoot(): Promise<Host> {
  const dataDir = await newDataDir()
  return { dataDir, start: () => startRealServer(dataDir), close: () => clear(dataDir) }
}

const hosts = {
  root: { why: process.getuid?.() === 0 ? null : 'the tests do not run as root', make: ofRoot },
  'an ordinary user': {
    // The guests are the same, and three of them take minutes: what surrounds them has tests of its own there.
    why: process.env.CI ? 'a CI has no time for it twice' : await whyNoOrdinaryUser(),
    make: newOrdinaryUser,
  },
}

for (const [who, { why, make }] of Object.entries(hosts)) {
  test(`a set of three forms an etcd cluster by the names of its members, and no other project reaches it, on a server of ${who}`, async ({
    playwright,
  }) => {
    test.skip(why !== null, `a cluster on a server of ${who}, because ${why}`)
    const host = await make()
    let server: Server | null = null
    try {
      server = await host.start()
      const running = server
      const newPerson = async (name: string) => {
        const dataDir = join(host.dataDir, name)
        await mkdir(dataDir)
        return newOwner(await playwright.request.newContext(), () => ({ ...running, dataDir }))
      }
      const owner = await newPerson('owner')
      const stranger = await newPerson('stranger')
      expect((await owner.must(hostApi.get, {})).cannot.networks).toBeNull()
      await theCluster(owner, stranger, join(host.dataDir, 'owner', 'id_ed25519'))
    } finally {
      await server?.stop()
      await host.close()
    }
  })
}

async function theCluster(owner: Owner, stranger: Owner, key: string): Promise<void> {
  const { id: setId } = await owner.must(vmSetApi.create, {
    params: owner.params,
    body: { name: 'db', template_id: 'starter', ssh_key_id: owner.keyId, replicas: 3 },
  })
  const other = await stranger.create('db-1')
  const members = async () =>
    (await owner.call(vmSetApi.get, { params: { ...owner.params, setId } }))?.vms ?? []
  await expect
    .poll(async () => (await members()).map(({ status }) => status), { intervals: [500] })
    .toEqual(['running', 'running', 'running'])
  const vms = await members()
  const [first = '', , third = ''] = vms.map(({ id }) => id)
  const names = vms.map(({ name }) => name)
  const strangerId = (await stranger.settled(other?.id ?? '')).id

  const ping = (who: Owner, from: string, to: string) =>
    who.inGuest(from, `ping -c 1 -W 5 ${to} > /dev/null 2>&1 && echo reached || echo nothing`)
  for (const { id } of vms)
    for (const name of names) await expect.poll(() => ping(owner, id, name)).toBe('reached')

  await Promise.all(
    vms.map(async ({ id }) => {
      const { ip_address: address, ssh_port: port } = await owner.must(vmApi.get, owner.of(id))
      await putProgram(etcd.server, '/tmp/etcd', { address: address ?? '', port, key })
      if (id === first) await putProgram(etcd.client, '/tmp/etcdctl', { address: address ?? '', port, key })
    }),
  )
  for (const { id, name } of vms) await owner.inGuest(id, startMember(name, names))
  const ctl = (at: readonly string[], command: string) =>
    owner.inGuest(
      first,
      // It tells of every attempt that it makes again, as while members choose a leader.
      `ETCDCTL_API=3 /tmp/etcdctl --command-timeout=20s --endpoints=${at.map((name) => `${name}:2379`).join()} ${command} 2>&1 | grep -v '"level":"warn"' || true`,
    )
  await expect.poll(async () => (await ctl(names, 'endpoint health')).match(/is healthy/g)?.length).toBe(3)
  expect((await ctl(names.slice(0, 1), 'member list')).match(/started/g)).toHaveLength(3)
  const [one = '', two = '', three = ''] = names
  // Written through one member, read through the others.
  expect(await ctl([two], 'put shop open')).toBe('OK')
  for (const name of [one, three]) expect(await ctl([name], 'get shop')).toBe('shop\nopen')

  // A VM of another project has the name of a member, and reaches none of them by name or address.
  const addresses = await Promise.all(
    vms.map(
      async ({ id }) => /inet ([\d.]+)/.exec(await owner.inGuest(id, 'ip -4 address show eth0'))?.[1] ?? '',
    ),
  )
  for (const address of addresses) expect(address).toMatch(/^10\./)
  const answers = async (who: Owner, from: string, port: number) => {
    const asks = addresses.map((ip) => {
      const ask =
        port === 22
          ? `timeout 5 nc ${ip} 22 < /dev/null | grep -q SSH`
          : `printf 'GET /version HTTP/1.0\\r\\n\\r\\n' | timeout 5 nc ${ip} ${port} | grep -q etcdserver`
      return `(${ask} && echo ${ip}) 2> /dev/null &`
    })
    return (await who.inGuest(from, `${asks.join('\n')}\nwait\ntrue`)).split('\n').filter(Boolean).sort()
  }
  const ports = [22, 2379, 2380]
  const all = async (who: Owner, from: string) =>
    Promise.all(ports.map(async (port) => ({ port, from: await answers(who, from, port) })))
  expect(await all(owner, first)).toEqual(ports.map((port) => ({ port, from: [...addresses].sort() })))
  expect(await all(stranger, strangerId)).toEqual(ports.map((port) => ({ port, from: [] })))
  for (const target of [...addresses, two, `${two}.journey.internal`])
    expect(await ping(stranger, strangerId, target)).toBe('nothing')
  // Its name means itself, there.
  expect(await ping(stranger, strangerId, one)).toBe('reached')
  expect(await stranger.inGuest(strangerId, `nslookup ${one}.journey.internal || true`)).not.toContain(
    addresses[0],
  )

  // One of three may be missing.
  await owner.inGuest(third, 'kill -9 $(cat /run/etcd.pid)')
  await expect.poll(() => ctl([one], 'put shop closed')).toBe('OK')
  expect(await ctl([two], 'get shop')).toBe('shop\nclosed')
}
