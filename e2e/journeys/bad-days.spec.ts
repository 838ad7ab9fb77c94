import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from '@playwright/test'
import { vmApi } from '@slipway/contract'
import { test } from '../measured.ts'
import type { Server } from '../server.ts'
import { newOwner } from './owner.ts'
import { clear, guestsOf, newDataDir, shareImages, startRealServer } from './real.ts'

const run = promisify(execFile)

let dataDir: string
let server: Server | null = null

test.afterEach(async () => {
  await server?.stop()
  server = null
  if (dataDir) await clear(dataDir)
})

async function start(settings?: Record<string, string>): Promise<() => Server> {
  const started = await startRealServer(dataDir, settings)
  server = started
  return () => started
}

/** A directory that comes first on PATH, with a program that stands in for a real one. */
async function pathWith(program: string, script: string): Promise<string> {
  const dir = join(dataDir, 'bin')
  await mkdir(dir)
  await writeFile(join(dir, program), `#!/bin/sh\n${script}\n`)
  await chmod(join(dir, program), 0o755)
  return `${dir}:${process.env.PATH}`
}

test('QEMU that dies at the start leaves a failed VM with its words, which can be deleted', async ({
  request,
}) => {
  dataDir = await newDataDir()
  const PATH = await pathWith(
    'qemu-system-x86_64',
    'case "$*" in *run-*) echo "qemu: cannot do this" >&2; exit 1;; esac\nexec /usr/bin/qemu-system-x86_64 "$@"',
  )
  const { create, settled, call, of, list } = await newOwner(request, await start({ PATH }))
  const vm = await create('dies')
  const failed = await settled(vm?.id ?? '')
  expect(failed).toMatchObject({ status: 'failed' })
  expect(failed.status_message).toMatch(
    /could not be started.*cannot do this.*delete this VM and create it again/,
  )
  expect(await guestsOf(dataDir)).toEqual([])
  await call(vmApi.delete, of(failed.id))
  expect(await list()).toEqual([])
})

test('a missing qemu-img leaves a failed VM that says what is not installed', async ({ request }) => {
  dataDir = await newDataDir()
  const PATH = await pathWith('qemu-img', 'exit 127')
  const { create, settled } = await newOwner(request, await start({ PATH }))
  const failed = await settled((await create('no tools'))?.id ?? '')
  expect(failed.status).toBe('failed')
  expect(failed.status_message).toMatch(/could not be created/)
})

test('a server that is killed while it launches QEMU leaves a VM that the next one starts', async ({
  request,
}) => {
  dataDir = await newDataDir()
  // QEMU is started by nice, which takes the server along here.
  const PATH = await pathWith(
    'nice',
    'case "$*" in *run-*) [ -e ../../killed ] || { touch ../../killed; kill -9 $PPID; exit 1; };; esac\nexec /usr/bin/nice "$@"',
  )
  let running = await start({ PATH })
  const { create, settled, list } = await newOwner(request, () => running())
  await create('cut short')
  await expect.poll(() => existsSync(join(dataDir, 'killed'))).toBe(true)
  await server?.kill()
  running = await start()
  const [vm] = await list()
  expect(await settled(vm?.id ?? '')).toMatchObject({ status: 'running', status_message: null })
  expect(await guestsOf(dataDir)).toHaveLength(1)
})

test('a full disk fails the new VM and says so, and lets the running one be', async ({ request }) => {
  dataDir = await mkdtemp(join(tmpdir(), 'slipway-full-'))
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=450m', 'tmpfs', dataDir]).then(
    () => true,
    () => false,
  )
  if (!mounted)
    console.log('SKIPPED: a small file system cannot be mounted here, so a full disk was not tested')
  test.skip(!mounted, 'a small file system cannot be mounted here')
  try {
    await shareImages(dataDir)
    const { create, settled, call, of } = await newOwner(request, await start())
    const first = await settled((await create('first'))?.id ?? '')
    expect(first.status).toBe('running')
    await run('dd', ['if=/dev/zero', `of=${dataDir}/filler`, 'bs=1M', 'count=200'])
    const second = await settled((await create('second'))?.id ?? '')
    expect(second.status).toBe('failed')
    expect(second.status_message).toMatch(/disk of the host is full.*Free some space/)
    expect((await settled(first.id)).status).toBe('running')

    await call(vmApi.delete, of(second.id))
    await rm(join(dataDir, 'filler'))
    expect((await settled((await create('third'))?.id ?? '')).status).toBe('running')
  } finally {
    await server?.stop()
    server = null
    for (const { pid } of await guestsOf(dataDir)) process.kill(pid, 'SIGKILL')
    await expect.poll(() => guestsOf(dataDir)).toEqual([])
    // Lazily: a killed guest lets go of its files a moment later.
    await run('umount', ['-l', dataDir])
  }
})
