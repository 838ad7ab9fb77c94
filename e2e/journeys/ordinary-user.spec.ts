/** Networks of projects where the server does not run as root. */
import { mkdir } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { hostApi, projectApi, shareApi, vmApi } from '@slipway/contract'
import { test } from '../measured.ts'
import type { Server } from '../server.ts'
import { FAR, newOrdinaryUser, newSurroundings, PORT, whyNoOrdinaryUser } from './ordinary-user.ts'
import { newOwner, type Owner } from './owner.ts'

const why = await whyNoOrdinaryUser()
test.skip(why !== null, `networks of an ordinary user, because ${why}`)

test('VMs of an ordinary user find each other by name, and reach nothing that they must not', async ({
  playwright,
}) => {
  const user = await newOrdinaryUser()
  const surroundings = await newSurroundings()
  let server: Server | null = null
  try {
    server = await user.start()
    const running = server
    const people = await Promise.all(
      // Each has a key of their own.
      ['one', 'other'].map(async (name) => {
        const dataDir = join(user.dataDir, name)
        await mkdir(dataDir)
        const context = await playwright.request.newContext()
        return newOwner(context, () => ({ ...(server ?? running), dataDir }))
      }),
    )
    const [owner, stranger] = people as [Owner, Owner]
    expect((await owner.must(hostApi.get, {})).cannot.networks).toBeNull()
    const made = await Promise.all([owner.create('web'), owner.create('db'), stranger.create('web')])
    const [web = '', db = '', other = ''] = made.map((vm) => vm?.id)
    for (const vm of [await owner.settled(web), await owner.settled(db), await stranger.settled(other)]) {
      expect(vm.status).toBe('running')
      // What works for whoever looks: a loopback address of the host.
      expect(vm.ip_address).toMatch(/^127\.100\./)
    }
    const ping = (who: Owner, from: string, to: string) =>
      who.inGuest(from, `ping -c 1 -W 5 ${to} > /dev/null && echo reached || echo nothing`)
    const meet = async () => {
      await expect.poll(() => ping(owner, web, 'db')).toBe('reached')
      expect(await ping(owner, db, 'web.journey.internal')).toBe('reached')
    }
    await meet()
    expect(await ping(stranger, other, 'db')).toBe('nothing')

    const addressIn = async (vmId: string) =>
      (await owner.inGuest(vmId, 'ip -4 address show eth0')).match(/inet ([\d.]+)/)?.[1] ?? ''
    const itsIp = await addressIn(db)
    const ofHost = Object.values(networkInterfaces()).flatMap((all) =>
      (all ?? []).flatMap(({ family, address }) => (family === 'IPv4' ? [address] : [])),
    )
    const gateway = await owner.inGuest(web, "ip route | sed -n 's/^default via \\([0-9.]*\\).*/\\1/p'")
    const forbidden = [...ofHost, gateway, '169.254.169.254', '10.0.2.2', '192.168.1.1']
    const reached = async (who: Owner, from: string, targets: readonly string[], port: number) => {
      const knocks = targets.map(
        (ip) => `(timeout 4 nc ${ip} ${port} < /dev/null | grep -q -e open -e SSH && echo ${ip}) &`,
      )
      return (await who.inGuest(from, `${knocks.join('\n')}\nwait\ntrue`)).split('\n').filter(Boolean)
    }
    expect(await reached(owner, web, [FAR, ...forbidden], PORT)).toEqual([FAR])
    expect(await reached(owner, web, [itsIp], 22)).toEqual([itsIp])
    expect(await reached(stranger, other, [itsIp], 22)).toEqual([])

    // A port that is shared goes the same way as SSH.
    await owner.inGuest(
      web,
      'mkdir -p /tmp/www && echo hello > /tmp/www/index.html && httpd -p 8080 -h /tmp/www',
    )
    const share = await owner.must(shareApi.create, {
      ...owner.of(web),
      body: { port: 8080, audience: 'everybody' },
    })
    const open = async () => (await fetch(share.address.replace(/^:/, 'http://127.0.0.1:'))).text()
    await expect.poll(() => open().catch(() => '')).toBe('hello\n')

    // Whatever ends of it comes back.
    for (const program of ['pasta', 'dnsmasq']) {
      const before = await user.serving(program)
      expect(before.length).toBeGreaterThan(0)
      for (const pid of before) process.kill(pid, 'SIGKILL')
      await expect
        .poll(async () => (await user.serving(program)).filter((pid) => !before.includes(pid)).length)
        .toBe(before.length)
    }
    await expect.poll(() => reached(owner, web, [FAR], PORT)).toEqual([FAR])
    await server.kill()
    server = await user.start()
    await expect.poll(() => ping(owner, web, 'db').catch(() => 'away')).toBe('reached')
    await meet()
    expect(await reached(owner, web, [FAR, ...forbidden], PORT)).toEqual([FAR])

    for (const [who, ids] of [
      [owner, [web, db]],
      [stranger, [other]],
    ] as const) {
      for (const id of ids) await who.must(vmApi.delete, who.of(id))
      await expect.poll(() => who.list()).toEqual([])
      await who.must(projectApi.delete, { params: who.params })
    }
    for (const program of ['tail', 'pasta', 'dnsmasq'])
      await expect.poll(() => user.serving(program)).toEqual([])
  } finally {
    await server?.stop()
    await user.close()
    await surroundings.close()
  }
})
