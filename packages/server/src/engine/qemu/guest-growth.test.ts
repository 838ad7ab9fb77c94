import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../lib/command.ts'
import { directoryForEach } from '../../lib/directory.test-kit.ts'
import { growthScript } from './guest-growth.ts'

const home = directoryForEach()

/** Runs the script where the system is like this; what it called, line by line, or `failed`. */
async function called(mounts: string[], { part, growpart = 0 }: { part?: string; growpart?: number } = {}) {
  const dir = home()
  const [bin, log, devices] = [join(dir, 'bin'), join(dir, 'log'), join(dir, 'dev/block')]
  const disk = join(dir, 'devices/vda')
  const at = part === undefined ? disk : join(disk, `vda${part}`)
  for (const one of [bin, devices, at]) await mkdir(one, { recursive: true })
  await symlink(at, join(devices, '254:1'))
  if (part !== undefined) await writeFile(join(at, 'partition'), `${part}\n`)
  for (const [name, status] of Object.entries({ growpart, resize2fs: 0, xfs_growfs: 0 })) {
    const script = `#!/bin/sh\necho ${name} "$@" >> ${log}\nexit ${status}\n`
    await writeFile(join(bin, name), script, { mode: 0o755 })
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

test.each<[string, string[], { part?: string; growpart?: number }, string[]]>([
  ['a file system on a whole disk is enlarged', [rootOn('ext4')], {}, ['resize2fs /dev/vda']],
  [
    'a partition is enlarged before it',
    [rootOn('ext4', '254:1', 'shared:1 ')],
    { part: '2' },
    ['growpart /dev/vda 2', 'resize2fs /dev/vda2'],
  ],
  [
    'a partition that fills its disk already is no failure',
    [rootOn('xfs')],
    { part: '1', growpart: 1 },
    ['growpart /dev/vda 1', 'xfs_growfs /'],
  ],
  [
    'a partition that cannot be enlarged is a failure',
    [rootOn('ext4')],
    { part: '1', growpart: 2 },
    ['growpart /dev/vda 1', 'failed'],
  ],
  [
    'what is mounted elsewhere, or lies below, does not count',
    ['1 1 0:2 / / rw - rootfs rootfs rw', rootOn('ext3'), '24 22 254:9 / /srv rw - xfs /dev/vdb rw'],
    {},
    ['resize2fs /dev/vda'],
  ],
  ['a root file system of a kind that is not known is left alone', [rootOn('f2fs')], {}, ['failed']],
  ['a root file system of the kind btrfs is left alone', [rootOn('btrfs', '0:31')], {}, ['failed']],
  ['a root file system of the kind overlay is left alone', [rootOn('overlay', '0:31')], {}, ['failed']],
])('%s', async (_, mounts, how, enlarged) => {
  expect(await called(mounts, how)).toEqual(enlarged)
})
