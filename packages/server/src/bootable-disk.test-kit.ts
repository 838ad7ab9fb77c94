import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { writeSeed } from './engine/qemu/seed.ts'
import { run } from './lib/command.ts'

/** Counting instructions takes several times as long as not to: behind all others of a busy host it once took more than 600 s. */
const niceness = process.getuid?.() === 0 ? -10 : 0
const PATIENCE_MS = 900_000

/**
 * Starts a guest from nothing but its disk, as a cluster does: a BIOS, the root disk behind another one, a seed, a serial
 * console, and no channel to say on that it is up. Resolves with what it answers to a command on the console; it has
 * powered itself off then. Its clock counts instructions: on a busy host that of the host would have services given up.
 */
export async function askGuest(
  guest: { disk: string; sizeBytes: number; memoryMb: number; hostname: string; workDir: string },
  command: string,
): Promise<string> {
  const at = (name: string) => join(guest.workDir, name)
  const lower = ['-b', guest.disk, '-F', 'qcow2']
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', ...lower, at('root.qcow2'), `${guest.sizeBytes}`])
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', at('other.qcow2'), '64M'])
  const { hostname, memoryMb } = guest
  await writeSeed(at('seed.iso'), {
    ...{ id: 'aaaaaaaa-0000-4000-8000-000000000001', hostname, cpu: 1, memoryMb, imageId: '' },
    ...{ sshPublicKeys: [], volumeIds: [], persistent: true },
  })
  const disk = (name: string, format: string, device: string) => [
    ...[
      '-drive',
      `if=none,id=${name},format=${format},file=${at(`${name}.${format === 'raw' ? 'iso' : format}`)}`,
    ],
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
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  let said = ''
  let isAsked = false
  qemu.stdout.on('data', (part: Buffer) => {
    said += part
    if (isAsked || !/# (\p{Cc}\S*)?$/u.test(said)) return
    isAsked = true
    // The echo of the question does not read like its answer.
    qemu.stdin.write(`stty -echo; echo B''EGIN; ${command}; echo E''ND; poweroff\n`)
  })
  try {
    await once(qemu, 'exit', { signal: AbortSignal.timeout(PATIENCE_MS) })
  } catch (cause) {
    throw new Error(`The guest did not answer. It said:\n${said.slice(-3000)}`, { cause })
  } finally {
    qemu.kill('SIGKILL')
  }
  const answer = /BEGIN\r?\n([\s\S]*)END\r?\n/.exec(said)?.[1]
  if (answer === undefined) throw new Error(`The guest said:\n${said.slice(-3000)}`)
  return answer.replaceAll('\r', '').trim()
}
