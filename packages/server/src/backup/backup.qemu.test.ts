// @module-tag full
/** Backups of a guest that is writing, and the same guest started from another data directory. */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { readConfig } from '../config.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { PROJECT_ID, volumeSpec, work } from '../engine/engine.test-kit.ts'
import type { Address, Engine, MachineSpec } from '../engine/engine.ts'
import { imagesDir, importer, missing, sshWith, testImages } from '../engine/qemu/qemu-engine.test-kit.ts'
import { makeQemuEngine } from '../engine/qemu/qemu-engine.ts'
import { STARTER_IMAGE } from '../image/image-store.ts'
import { run } from '../lib/command.ts'
import { silentLog } from '../lib/log.ts'
import { directoryPlace, hasRestic, quickRepository, type Settings, s3Place } from './outside.test-kit.ts'
import { makeOutside } from './outside.ts'
import { makeRepository } from './repository.ts'
import { restoreBackup, restoreOutside } from './restore.ts'
import { writeBackup } from './write.ts'

describe.skipIf(missing !== undefined)('A guest that is writing', () => {
  let home: string
  let ssh: ReturnType<typeof sshWith>
  let engine: Engine
  const id = randomUUID()
  const volumeId = randomUUID()
  const at = (...names: string[]) => path.join(home, ...names)
  const disk = `/dev/$(for d in /sys/block/vd*; do grep -q ${volumeId.slice(0, 20)} $d/serial && basename $d; done)`

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'slipway-guest-backup-'))
    const key = at('key')
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    ssh = sshWith(key)
    await mkdir(at('first'))
    // Images of its own, since the backup has to bring them along.
    await run('cp', ['-a', '--reflink=auto', imagesDir, at('first', 'images')])
    engine = await openAt('first')
    const spec: MachineSpec = {
      id,
      projectId: PROJECT_ID,
      hostname: 'kept',
      cpu: 1,
      memoryMb: 256,
      imageId: STARTER_IMAGE,
      sshPublicKeys: [await readFile(`${key}.pub`, 'utf8')],
      volumeIds: [],
      persistent: true,
    }
    await engine.createMachine(spec)
    await engine.createVolume(volumeSpec(volumeId, { from: 'nothing' }, 16 * 1024 ** 2), work())
  })
  afterAll(async () => {
    await engine.deleteMachine(id)
    await engine.close()
    await rm(home, { recursive: true, force: true })
  })

  async function openAt(name: string): Promise<Engine> {
    const dataDir = at(name)
    const images = await testImages(dataDir, path.join(dataDir, 'images'))
    const opened = makeQemuEngine({ dataDir, hostDir: imagesDir, images, importer, log: silentLog })
    await opened.open()
    return opened
  }
  async function started(): Promise<Address> {
    await engine.startMachine(id, { freshRoot: false, volumeIds: [volumeId] })
    return isUp()
  }
  async function isUp(): Promise<Address> {
    for (;;) {
      const state = await engine.inspect(id)
      if (state.power === 'ready') return state.address
      if (state.power !== 'booting') throw new Error(JSON.stringify(state))
      await sleep(200)
    }
  }

  test('starts again from another data directory, with all its disks of one moment', async () => {
    const address = await started()
    await ssh(address, 'echo settled > /root/settled; sync')
    // Each number is on the root disk before it is on the other one.
    const writer = `D=${disk}; n=0; while :; do n=$((n+1)); echo $n > /root/n.new; mv /root/n.new /root/n; sync; printf '%08d' $n | dd of=$D conv=notrunc,fsync 2>/dev/null; done`
    await ssh(address, `(${writer}) >/dev/null 2>&1 </dev/null &`)
    await sleep(2000)

    const database = { file: at('first', 'slipway.sqlite') }
    const db = openDatabase(database)
    await migrate(db, null)
    await db.destroy()
    const installation = { dataDir: at('first'), database, engine: namedBy(engine) }
    const manifest = await writeBackup(installation, at('backup'), work())
    expect(manifest.left_out).toEqual([])
    // It writes on.
    const before = await ssh(address, 'cat /root/n')
    await expect.poll(() => ssh(address, 'cat /root/n')).not.toBe(before)
    await engine.powerOff(id)
    await engine.close()

    await restoreBackup(at('backup'), emptyPlaces('second'), new AbortController().signal)
    // Nothing of the first is needed any more.
    await rm(at('first'), { recursive: true })
    engine = await openAt('second')
    expect(await engine.inspect(id)).toMatchObject({ power: 'off', exit: { how: 'host-restart' } })
    const again = await started()
    expect(await ssh(again, 'cat /root/settled')).toBe('settled\n')
    const onRoot = Number(await ssh(again, 'cat /root/n'))
    const onVolume = Number(await ssh(again, `dd if=${disk} bs=8 count=1 2>/dev/null`))
    expect(onVolume).toBeGreaterThan(0)
    expect([onRoot, onRoot - 1]).toContain(onVolume)
  })

  test.skipIf(!hasRestic)(
    'is in a repository in a directory and in one on an S3 server, and has every byte again when all else is destroyed',
    async () => {
      const address = await isUp()
      await ssh(
        address,
        `dd if=/dev/urandom of=${disk} bs=1M count=12 2>/dev/null; dd if=/dev/urandom of=/root/bytes bs=1M count=8 2>/dev/null; sync`,
      )
      const sums = `cat ${disk} | sha256sum; sha256sum < /root/bytes; cat /root/settled`
      const written = await ssh(address, sums)

      for (const name of ['directory', 's3']) await mkdir(at(name))
      const s3 = await s3Place(at('s3'))
      vi.stubEnv('SSL_CERT_FILE', s3.settings.SSL_CERT_FILE)
      const places: Record<string, Settings> = {
        'from-directory': await directoryPlace(at('directory')),
        'from-s3': s3.settings,
      }
      await quickRepository(at('directory', 'repository'))
      try {
        await repositoryOf(s3.settings, null).repository.create(signal)
        for (const settings of Object.values(places)) {
          const { place } = repositoryOf(settings, at('second'))
          const installation = { ...emptyPlaces('second'), engine: namedBy(engine) }
          const made = await makeOutside(installation, place, silentLog).make(work())
          expect(made.manifest.left_out).toEqual([])
        }
        await engine.powerOff(id)
        await engine.close()
        await rm(at('second'), { recursive: true })

        for (const [name, settings] of Object.entries(places)) {
          const { repository } = repositoryOf(settings, null)
          await repository.open(signal)
          const [kept] = await repository.list(signal)
          if (!kept) throw new Error(`There is no backup in ${settings.SLIPWAY_BACKUP_REPOSITORY}`)
          await restoreOutside(repository, kept, emptyPlaces(name), signal)
          engine = await openAt(name)
          expect(await ssh(await started(), sums)).toBe(written)
          await engine.powerOff(id)
          if (name === 'from-directory') await engine.close()
        }
      } finally {
        vi.unstubAllEnvs()
        await s3.close()
      }
    },
  )

  const { signal } = new AbortController()
  const emptyPlaces = (name: string) => ({
    dataDir: at(name),
    database: { file: at(name, 'slipway.sqlite') },
    engine: 'qemu' as const,
  })
  function repositoryOf(settings: Settings, dataDir: string | null) {
    const { SSL_CERT_FILE: _, ...env } = settings
    const place = readConfig({ SLIPWAY_DATA_DIR: at('settings'), ...env }).backup
    if (!place) throw new Error('No repository is set')
    return { place, repository: makeRepository(place, dataDir) }
  }

  /** The rows of nobody name this machine: the backup is asked for it all the same. */
  const namedBy = (all: Engine): Engine => ({
    ...all,
    saveTo: (to, ids, how) => all.saveTo(to, { ...ids, machines: [id], volumes: [volumeId] }, how),
  })
})
