import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { directoryForEach } from '../../lib/directory.test-kit.ts'
import { launchQemu, NICENESS, QEMU } from './launch.ts'
import { fileNames } from './machine-dir.ts'

const dir = directoryForEach()
beforeEach(async () => {
  await symlink('/usr/bin/nice', join(dir(), 'nice'))
  vi.stubEnv('PATH', dir())
})
afterEach(() => vi.unstubAllEnvs())

/** In place of QEMU, which takes seconds: its socket is all that is waited for. */
const played = `#!${process.execPath}
require('node:fs').writeFileSync('${fileNames.qmp}', '')
setTimeout(() => {}, 60_000)
`

/** Field 19 of proc_pid_stat(5), after the name in brackets. */
const nicenessOf = async (pid: number) =>
  Number((await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ')[16])

test('a guest comes after the server where both want the processor', async () => {
  await writeFile(join(dir(), QEMU), played, { mode: 0o755 })
  const { pid } = await launchQemu([], dir(), [], null)
  const niceness = await nicenessOf(pid)
  process.kill(pid, 'SIGKILL')
  expect(niceness).toBe((await nicenessOf(process.pid)) + NICENESS)
})

test('that QEMU is missing is told from a QEMU that ended', async () => {
  await expect(launchQemu([], dir(), [], null)).rejects.toMatchObject({ code: 'ENOENT' })
})
