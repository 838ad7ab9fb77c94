/**
 * Backups outside the host of a running guest, by restic into a directory of this host: all of it, then after a hundredth of
 * its data disk has changed, in one place and in a hundred.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { clear, newDataDir, runShown, startRealServer } from '@slipway/e2e/real'
import { report } from './report.ts'
import { startVmWithDisk } from './vm-with-disk.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../../packages/server/src/backup.ts', import.meta.url))

/** Of random bytes on the data disk: what compresses or repeats would flatter the first backup. */
const dataMb = 400
const changedMb = dataMb / 100
const places = 100

export async function benchBackup(): Promise<boolean> {
  const [dataDir, home] = await Promise.all([newDataDir(), newDataDir()])
  const passwordFile = join(home, 'password')
  await writeFile(passwordFile, 'for this bench alone\n', { mode: 0o600 })
  const settings = {
    SLIPWAY_BACKUP_REPOSITORY: join(home, 'repository'),
    SLIPWAY_BACKUP_PASSWORD_FILE: passwordFile,
  }
  const server = await startRealServer(dataDir, settings)
  const backup = (option: string) =>
    run(process.execPath, [program, option], {
      env: { ...process.env, ...settings, SLIPWAY_ENGINE: 'qemu', SLIPWAY_DATA_DIR: dataDir },
    })
  /** Makes a backup, by the server that runs; seconds, and megabytes that the repository grew by. */
  async function make(): Promise<{ seconds: number; addedMb: number }> {
    const start = performance.now()
    await backup('--repository')
    const seconds = (performance.now() - start) / 1000
    const outcomes = JSON.parse(await readFile(join(dataDir, 'backup-outcomes.json'), 'utf8')) as {
      good: { added_bytes: number }
    }
    return { seconds, addedMb: outcomes.good.added_bytes / 1e6 }
  }
  try {
    const { vm, key, device } = await startVmWithDisk(server, home)
    const inGuest = (command: string) => runShown(`ssh -p ${vm.ssh_port} root@${vm.ip_address}`, key, command)
    await inGuest(`for i in $(seq 100); do [ -n "${device}" ] && exit 0; sleep 0.1; done; exit 1`)
    const write = (megabytes: number, at: number) =>
      `dd if=/dev/urandom of=/dev/${device} bs=1M count=${megabytes} seek=${at} conv=fsync 2>/dev/null`
    const scattered = `for i in $(seq 0 ${places - 1}); do dd if=/dev/urandom of=/dev/${device} bs=${Math.round((changedMb * 1024) / places)}k count=1 seek=$((i * ${places})) 2>/dev/null; done; sync`

    await backup('--init')
    await inGuest(write(dataMb, 0))
    const full = await make()
    await inGuest(write(changedMb, dataMb / 2))
    const increment = await make()
    await inGuest(scattered)
    const strewn = await make()
    const percent = (part: number, whole: number) => (part / whole) * 100
    return report(`Backups outside the host, ${dataMb} MB of random data`, [
      { what: 'the first one, takes', value: full.seconds, unit: 's', goal: null },
      { what: 'the first one, stores', value: full.addedMb, unit: 'MB', goal: null },
      {
        what: '1 % changed in one place, stores',
        value: percent(increment.addedMb, full.addedMb),
        unit: '%',
        goal: 5,
      },
      {
        what: '1 % changed in one place, takes',
        value: percent(increment.seconds, full.seconds),
        unit: '%',
        goal: null,
      },
      {
        what: `1 % changed in ${places} places, stores`,
        value: percent(strewn.addedMb, full.addedMb),
        unit: '%',
        goal: null,
      },
    ])
  } finally {
    await server.stop()
    await clear(dataDir)
    await clear(home)
  }
}
