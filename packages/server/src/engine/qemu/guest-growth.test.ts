import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { run } from '../../lib/command.ts'
import { growthScript } from './guest-growth.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'slipway-guest-growth-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

/** Runs the script where the system is like this; what it called, line by line, or `failed`. */
async function called(mounts: string[], { part, growpart = 0 }: { part?: string; growpart?: number } = {}) {
  const [bin, log, devices] = [join(dir, 'bin'), join(dir, 'log'), join(dir, 'dev/block')]
  const disk = join(dir, 'devices/vda')
  const at = part === undefined ? disk : join(disk, `vda${part}`)
  for (const one of [bin, devices, at]) await mkdir(one, { recursive: true })
  await symlink(at, join(devices, '254:1'))
  if (part !== undefined) await writeFile(join(at, 'partition'), `${part}\n`)
  for (const [name, status] of Object.entries({ growpart, resize2fs: 0, xfs_growfs: 0 })) {
    await writeFile(join(bin, name), `#!/bin/sh\necho ${name} "$@" >> ${log}\nexit ${status}\n`)
    await chmod(join(bin, name), 0o755)
  }
  await writeFile(join(dir, 'mounts'), `${mounts.join('\n')}\n`)
  const script = growthScript
    .replace(/^PATH=.*$/m, `PATH=${bin}:$PATH`)
    .replace('/proc/self/mountinfo', join(dir, 'mounts'))
    .replace('/sys/dev/block', devices)
  const ended = await run('sh', ['-c', script]).then(
    () => [],
    () => ['failed'],
  )
  const lines = await readFile(log, 'utf8').catch(() => '')
  return [...lines.split('\n').filter(Boolean), ...ended]
}

const rootOn = (kind: string, number = '254:1', extra = '') =>
  `22 1 ${number} / / rw,noatime ${extra}- ${kind} /dev/root rw`
const others = ['1 1 0:2 / / rw - rootfs rootfs rw', '24 22 254:9 / /srv rw - xfs /dev/vdb rw']

test('a file system on a whole disk is enlarged', async () => {
  expect(await called([rootOn('ext4')])).toEqual(['resize2fs /dev/vda'])
})

test('a partition is enlarged before it', async () => {
  const enlarged = ['growpart /dev/vda 2', 'resize2fs /dev/vda2']
  expect(await called([rootOn('ext4', '254:1', 'shared:1 ')], { part: '2' })).toEqual(enlarged)
})

test('a partition that fills its disk already is no failure', async () => {
  expect(await called([rootOn('xfs')], { part: '1', growpart: 1 })).toEqual([
    'growpart /dev/vda 1',
    'xfs_growfs /',
  ])
})

test('a partition that cannot be enlarged is a failure', async () => {
  expect(await called([rootOn('ext4')], { part: '1', growpart: 2 })).toEqual([
    'growpart /dev/vda 1',
    'failed',
  ])
})

test('what is mounted elsewhere, or lies below, does not count', async () => {
  expect(await called([others[0] ?? '', rootOn('ext3'), others[1] ?? ''])).toEqual(['resize2fs /dev/vda'])
})

test('a root file system of a kind that is not known is left alone', async () => {
  expect(await called([rootOn('f2fs')])).toEqual(['failed'])
})

test.each(['btrfs', 'overlay'])('a root file system of the kind %s is left alone', async (kind) => {
  expect(await called([rootOn(kind, '0:31')])).toEqual(['failed'])
})
