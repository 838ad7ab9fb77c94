// @module-tag full
/** The server as a process on a small file system that is filled to the last byte: the way out, and a start there. */
import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync, statfsSync, writeSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { BinItem, Health, Project, Vm } from '@slipway/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openPrograms } from './backup/programs.test-kit.ts'
import { demo } from './seed.ts'

/** A file system that can be filled has to be mounted first. */
const isRoot = process.getuid?.() === 0
if (!isRoot)
  console.log('SKIPPED: only root can mount a small file system, so no server was tested on a full one')

describe.skipIf(!isRoot)('A server whose disk has no free byte', () => {
  const programs = openPrograms()
  const dataDir = path.join(programs.home, 'full')
  let server: ReturnType<typeof programs.start> & { url: string }
  let cookie = ''

  async function start(): Promise<void> {
    const env = { SLIPWAY_SIMULATED_SPEED: '50', SLIPWAY_SEED: 'true', SLIPWAY_ADMINS: demo.email }
    const database = { file: path.join(dataDir, 'slipway.sqlite') }
    const started = programs.start('main.ts', { dataDir, database, env: { ...env, SLIPWAY_SSH_PORT: '0' } })
    const urlIn = (printed: string) => /ready at (\S+)/.exec(printed)?.[1] ?? ''
    const ready = vi.waitFor(() => expect(urlIn(started.printed())).not.toBe(''), 60_000)
    await Promise.race([ready, started.ended])
    const url = urlIn(started.printed())
    if (url === '') throw new Error(started.printed())
    server = { ...started, url }
  }
  async function end(signal: NodeJS.Signals): Promise<void> {
    server.child.kill(signal)
    await server.ended
  }
  async function call<T>(method: string, url: string, body?: object): Promise<{ status: number; body: T }> {
    const answer = await fetch(server.url + url, {
      method,
      headers: { cookie, origin: server.url, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return { status: answer.status, body: (text === '' ? undefined : JSON.parse(text)) as T }
  }
  async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
    for (;;) {
      const found = await look()
      if (found !== undefined && found !== false) return found
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const signIn = () => call('POST', '/api/auth/signin', { email: demo.email, password: demo.password })
  const filler = () => path.join(dataDir, 'filler')
  /** Whoever writes meanwhile gets nothing of it. */
  function fillUp(): void {
    const file = openSync(filler(), 'a')
    for (let size = 1024 ** 2; size >= 1; size = Math.floor(size / 2)) {
      try {
        while (writeSync(file, Buffer.alloc(size)) === size);
      } catch {
        // Full at this size.
      }
    }
    closeSync(file)
    expect(statfsSync(dataDir).bavail).toBe(0)
  }
  const pieces = async () =>
    existsSync(path.join(dataDir, 'ballast'))
      ? (await readdir(path.join(dataDir, 'ballast'))).filter((name) => /^\d$/.test(name)).length
      : 0

  beforeAll(async () => {
    await mkdir(dataDir)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m,mode=700', 'slipway-test', dataDir])
    await start()
    expect(await until(async () => (await pieces()) === 8 && 8)).toBe(8)
    await signIn()
  })
  afterAll(() => {
    server.child.kill('SIGKILL')
    execFileSync('umount', ['--lazy', dataDir])
  })

  const project = async () => (await call<Project[]>('GET', '/api/projects')).body[0]?.id ?? ''
  const vms = async () => (await call<Vm[]>('GET', `/api/projects/${await project()}/vms`)).body
  /** One of the VMs that the server begins with, and no member of a pool or set, which would be replaced. */
  const running = (name: string) =>
    until(async () => (await vms()).find((vm) => vm.status === 'running' && vm.name === name))

  it('keeps its ballast when a second one is started there by mistake', async () => {
    // It would give up some of it by itself.
    server.child.kill('SIGSTOP')
    try {
      fillUp()
      const before = await pieces()
      await expect(start()).rejects.toThrow('Another Slipway server')
      expect(await pieces()).toBe(before)
    } finally {
      await rm(filler())
      server.child.kill('SIGCONT')
    }
  })

  it('stops, deletes and empties the bin, and refuses everything else with what helps', async () => {
    const projectId = await project()
    const [one, other] = [await running('checkout-api-01'), await running('geo-tiles-build')]
    fillUp()
    // The log of the database has room of its own for a while.
    for (let tries = 0; (await pieces()) === 8 && tries < 2000; tries++) {
      await call('POST', `/api/projects/${projectId}/vms/${one.id}/stop`, { force: true })
      await call('DELETE', '/api/admin/notice')
      await signIn()
      fillUp()
    }
    expect(await pieces()).toBeLessThan(8)
    expect(
      await until(async () => (await vms()).find(({ id, status }) => id === one.id && status === 'stopped')),
    ).toBeTruthy()
    const refused = await call<{ message: string }>('POST', '/api/projects', { name: 'more' })
    expect(refused).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('Free some space') },
    })
    expect((await call('DELETE', `/api/projects/${projectId}/vms/${other.id}`)).status).toBe(204)
    const bin = () => call<BinItem[]>('GET', `/api/projects/${projectId}/bin`)
    const { body } = await bin()
    expect(body.length).toBeGreaterThan(0)
    expect(
      (await call('DELETE', `/api/projects/${projectId}/bin`, { before: new Date().toISOString() })).status,
    ).toBe(200)
    expect((await bin()).body).toEqual([])
    const health = (await call<Health>('GET', '/api/admin/health')).body
    expect(health.ballast?.missing_mb).toBeGreaterThan(0)
    expect(health.problems.join()).toContain('ballast')
  })

  it.each([
    ['SIGKILL', 'docs-preview'],
    ['SIGTERM', 'ci-runner-a'],
  ] as const)('starts after %s, lets people in, and lets them delete', async (signal, name) => {
    await end(signal)
    fillUp()
    await start()
    cookie = ''
    expect((await signIn()).status).toBe(200)
    const { id } = await running(name)
    expect((await call('DELETE', `/api/projects/${await project()}/vms/${id}`)).status).toBe(204)
    fillUp()
  })

  it('makes the ballast again when there is room, and takes everything again', async () => {
    await end('SIGKILL')
    await rm(filler())
    await start()
    expect(await until(async () => (await pieces()) === 8 && 8)).toBe(8)
    expect((await call<Health>('GET', '/api/admin/health')).body.ballast).toMatchObject({ missing_mb: 0 })
    expect((await call('POST', '/api/projects', { name: 'more' })).status).toBe(201)
  })
})
