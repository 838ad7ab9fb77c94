import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { connectQmp } from './engine/qemu/qmp.ts'
import { writeSeed } from './engine/qemu/seed.ts'
import { run } from './lib/command.ts'

/** Counting instructions takes several times as long as not to: behind all others of a busy host it once took more than 600 s. */
const niceness = process.getuid?.() === 0 ? -10 : 0
const PATIENCE_MS = 900_000

/** A question that waits for the data disks of {@link askGuest} by their names; the answer is the size of each in bytes. */
export const sizesOfDataDisks =
  'for disk in /dev/disk/by-id/virtio-early /dev/disk/by-id/virtio-late; do ' +
  'for try in $(seq 1000); do [ -b $disk ] && break; sleep 0.1; done; blockdev --getsize64 $disk; done'

/** What {@link sizesOfDataDisks} is answered. */
export const dataDiskSizes = [32, 48].map((mib) => `${mib * 1024 ** 2}`)

/**
 * Starts a guest from nothing but its disk, as a cluster does: a BIOS, the root disk behind another one, a seed, a serial
 * console, and no channel to say on that it is up. A data disk is there from the start and another one comes before the
 * question, both by SCSI. Resolves with what it answers to a command on the console; it has
 * powered itself off then. Its clock counts instructions: on a busy host that of the host would have services given up.
 */
export async function askGuest(
  guest: { disk: string; sizeBytes: number; memoryMb: number; hostname: string; workDir: string },
  command: string,
): Promise<string> {
  const at = (name: string) => join(guest.workDir, name)
  const lower = ['-b', guest.disk, '-F', 'qcow2']
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', ...lower, at('root.qcow2'), `${guest.sizeBytes}`])
  const [early, late] = dataDiskSizes
  for (const [name, size] of [
    ['other', '64M'],
    ['early', early],
    ['late', late],
  ])
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', at(`${name}.qcow2`), `${size}`])
  const { hostname, memoryMb } = guest
  await writeSeed(at('seed.iso'), {
    ...{ id: 'aaaaaaaa-0000-4000-8000-000000000001', hostname, cpu: 1, memoryMb, imageId: '' },
    ...{ sshPublicKeys: [], volumeIds: [], persistent: true },
  })
  const drive = (name: string, format: string) => [
    '-drive',
    `if=none,id=${name},format=${format},file=${at(`${name}.${format === 'raw' ? 'iso' : format}`)}`,
  ]
  const disk = (name: string, format: string, device: string) => [
    ...drive(name, format),
    ...['-device', `virtio-blk-pci,drive=${name},${device}`],
  ]
  const qemu = spawn(
    'nice',
    [
      ...['-n', `${niceness}`, 'qemu-system-x86_64'],
      ...[
        '-machine',
        'q35',
        '-accel',
        'tcg',
        '-icount',
        'shift=2,sleep=off',
        '-cpu',
        'max',
        '-m',
        `${memoryMb}`,
        '-nodefaults',
      ],
      ...['-display', 'none', '-serial', 'stdio', '-nic', 'user,model=virtio-net-pci,restrict=on'],
      ...disk('other', 'qcow2', 'serial=other,addr=0x3'),
      ...disk('root', 'qcow2', 'serial=root,addr=0x4,bootindex=1'),
      ...disk('seed', 'raw', 'addr=0x5'),
      ...['-device', 'virtio-scsi-pci,id=scsi,addr=0x6'],
      ...[...drive('early', 'qcow2'), '-device', 'scsi-hd,bus=scsi.0,drive=early,serial=early'],
      ...[...drive('late', 'qcow2'), '-qmp', `unix:${at('qmp')},server=on,wait=off`],
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  let said = ''
  const { promise: prompted, resolve } = Promise.withResolvers<void>()
  qemu.stdout.on('data', (part: Buffer) => {
    said += part
    if (/# (\p{Cc}\S*)?$/u.test(said)) resolve()
  })
  const ended = once(qemu, 'exit', { signal: AbortSignal.timeout(PATIENCE_MS) })
  try {
    await Promise.race([prompted, ended])
    await plugIn(at('qmp'), 'late')
    // The echo of the question does not read like its answer.
    qemu.stdin.write(`stty -echo; echo B''EGIN; ${command}; echo E''ND; poweroff\n`)
    await ended
  } catch (cause) {
    throw new Error(`The guest did not answer. It said:\n${said.slice(-3000)}`, { cause })
  } finally {
    qemu.kill('SIGKILL')
  }
  const answer = /BEGIN\r?\n([\s\S]*)END\r?\n/.exec(said)?.[1]
  if (answer === undefined) throw new Error(`The guest said:\n${said.slice(-3000)}`)
  return answer.replaceAll('\r', '').trim()
}

/** Puts a drive on the controller of SCSI as a disk that has its name for a serial. */
async function plugIn(socket: string, drive: string): Promise<void> {
  const qmp = await connectQmp(socket, PATIENCE_MS)
  await qmp.execute('device_add', { driver: 'scsi-hd', id: drive, bus: 'scsi.0', drive, serial: drive })
  qmp.close()
}
