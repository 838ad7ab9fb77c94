// @module-tag full
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeTestAppOver, withoutBin } from './app.test-kit.ts'
import { openDeskAt } from './desk.test-kit.ts'
import { testEngine } from './engine/qemu/qemu-engine.test-kit.ts'
import { systemClock } from './lib/clock.ts'
import { run } from './lib/command.ts'
import { type Place, playAtRandom } from './storage.test-kit.ts'

// This one has something of everything: chains, restores with and without memory, disks that move.
const seed = Number(process.env.SLIPWAY_TEST_SEED ?? 62)

const missing = await run('qemu-system-x86_64', ['--version']).then(
  () => false,
  () => process.env.SLIPWAY_REQUIRE_QEMU === undefined,
)

test.skipIf(missing)(
  'twenty random operations on real guests and disks end as the model says',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'slipway-storage-'))
    const key = join(dataDir, 'key')
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    const engine = await testEngine(dataDir)
    await engine.open()
    const app = await makeTestAppOver({ clock: systemClock, engine, passTime: async () => {} }, withoutBin)

    const underWay = ['pending', 'creating', 'provisioning', 'starting', 'stopping', 'deleting']
    /** Waits until nothing changes by itself any more. */
    async function rest(): Promise<void> {
      for (;;) {
        const tables = ['vm', 'disk', 'vm_snapshot', 'disk_snapshot'] as const
        const rows = await Promise.all(
          tables.map((table) => app.db.selectFrom(table).select('status').execute()),
        )
        const unplugged = await app.db
          .selectFrom('disk')
          .select('id')
          .where('status', '=', 'attached')
          .where((e) => e.or([e('plugged', '=', 0), e('detaching', '=', 1)]))
          .execute()
        const gone = await app.db.selectFrom('vm').select('id').where('wanted_deleted', '=', 1).execute()
        const busy = rows.flat().some(({ status }) => underWay.includes(status))
        if (!busy && unplugged.length === 0 && gone.length === 0) return
        await sleep(100)
      }
    }
    const desk = await openDeskAt(app, rest, await readFile(`${key}.pub`, 'utf8'))

    async function inGuest(vmId: string, command: string): Promise<string> {
      const { ip_address, ssh_port } = await desk.vm(vmId)
      const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR'].flatMap(
        (option) => ['-o', option],
      )
      const args = ['-p', `${ssh_port}`, '-i', key, ...options, `root@${ip_address}`, command]
      return run('ssh', args, { timeoutMs: 60_000 })
    }
    /** Where a place is in the guest; a disk that was just plugged in takes it a moment to name. */
    async function find(vmId: string, place: Place): Promise<string> {
      const path = fileOf(place)
      if (typeof place === 'object')
        await inGuest(vmId, `for try in $(seq 100); do [ -b ${path} ] && exit; sleep 0.1; done; exit 1`)
      return path
    }
    // Device nodes live in memory, and so does a file beside them.
    const fileOf = (place: Place) =>
      place === 'root'
        ? '/root/word'
        : place === 'memory'
          ? '/dev/word'
          : `/dev/disk/by-id/virtio-${place.diskId.slice(0, 20)}`

    const done = await playAtRandom(
      {
        desk,
        write: async (vmId, place, word) => {
          const path = await find(vmId, place)
          await inGuest(vmId, `echo ${word} | dd of=${path} conv=notrunc 2>/dev/null && sync`)
        },
        read: async (vmId, place) => {
          const path = await find(vmId, place)
          const line = await inGuest(vmId, `head -c 40 ${path} 2>/dev/null | head -n1 | tr -d '\\0'`)
          return line.trim()
        },
        restartServer: app.restart,
      },
      { seed, operations: 20, maxVms: 2 },
    )
    expect([...done.values()].reduce((sum, times) => sum + times)).toBe(20)

    for (const { id } of await app.db.selectFrom('vm').select('id').execute()) await desk.deleteVm(id)
    await rest()
    await app.close()
    await rm(dataDir, { recursive: true, force: true })
  },
  900_000,
)
