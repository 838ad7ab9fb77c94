import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { makeImageStore, STARTER_IMAGE } from '../../image/image-store.ts'
import { CommandError, run } from '../../lib/command.ts'
import { silentLog } from '../../lib/log.ts'
import { describeEngine, type EngineHarness } from '../engine.suite.ts'
import type { Address } from '../engine.ts'
import { makeQemuEngine } from './qemu-engine.ts'

/** Built once and kept between runs, because building takes longer than all else. */
const imagesDir = join(tmpdir(), `slipway-test-images-${process.getuid?.() ?? 0}`)

async function makeHarness(): Promise<EngineHarness> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-engine-'))
  const key = join(dataDir, 'key')
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'a "hostile\\ comment', '-f', key])

  const sshArgs = (address: Address, ...options: string[]) => [
    ...['-p', `${address.port}`, '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'],
    ...['-o', 'LogLevel=ERROR', '-o', 'ConnectTimeout=20', ...options, `root@${address.ip}`],
  ]
  const ssh = (address: Address, command: string) =>
    run('ssh', [...sshArgs(address, '-i', key, '-o', 'BatchMode=yes'), command], { timeoutMs: 60_000 })
  const processesOf = async (machineId: string) => {
    const found: string[] = []
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid)) continue
      const args = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      if (args.includes('qemu-system') && args.includes(machineId)) found.push(pid)
    }
    return found
  }

  return {
    async open() {
      const images = makeImageStore({ dir: imagesDir, log: silentLog })
      const engine = makeQemuEngine({ dataDir, images, log: silentLog })
      await engine.open()
      return engine
    },
    imageId: STARTER_IMAGE,
    sshPublicKey: await readFile(`${key}.pub`, 'utf8'),
    pass: (ms) => sleep(ms),
    async happen(machineId, what, address) {
      if (what === 'is killed') {
        for (const pid of await processesOf(machineId)) process.kill(Number(pid), 'SIGKILL')
      } else {
        await ssh(address, what === 'reboots' ? 'reboot' : 'poweroff')
      }
    },
    ssh,
    hostSeenByGuests: '10.0.2.2',
    sshWithoutKey: (address) =>
      run('ssh', [
        ...sshArgs(address, '-o', 'PubkeyAuthentication=no', '-o', 'NumberOfPasswordPrompts=0'),
        'true',
      ]).then(
        () => 'let in',
        (error: unknown) => (error instanceof CommandError ? error.stderr : String(error)),
      ),
    async traces(machineId) {
      const entries = await readdir(dataDir, { recursive: true })
      return {
        processes: await processesOf(machineId),
        files: entries.filter((entry) => entry.includes(machineId)),
      }
    },
    cleanUp: () => rm(dataDir, { recursive: true, force: true }),
  }
}

const missing = await run('qemu-system-x86_64', ['--version']).then(
  () => null,
  () => 'QEMU is not installed',
)

if (missing === null) {
  describeEngine('QEMU', makeHarness)
} else {
  const mustRun = process.env['CI'] === 'true' || process.env['SLIPWAY_REQUIRE_QEMU'] === '1'
  describe('QEMU as an engine', () => {
    test.skipIf(!mustRun)('real guests can be tested here', () => {
      throw new Error(missing)
    })
  })
  console.log(`SKIPPED: ${missing}, so no real guest was tested`)
}
