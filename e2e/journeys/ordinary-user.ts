/** A server that runs as an ordinary user, whatever user runs the tests, and an Internet for its guests. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Server, startServer } from '../server.ts'
import { guestsOf, imagesDir } from './real.ts'

const run = promisify(execFile)
const NOBODY = '65534'

/** A port at which everything answers that guests must not reach, and the one thing that they may. */
export const PORT = 7078
/** An address of the Internet that nobody has where tests run. */
export const FAR = '11.78.0.1'

/** Why it cannot be tried here; null when it can. */
export async function whyNoOrdinaryUser(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'only root can become another user'
  for (const tool of ['setpriv', 'unshare', 'nsenter', 'pasta', 'dnsmasq', 'nft'])
    if (!(await run('which', [tool]).catch(() => null))) return `${tool} is not installed`
  return null
}

export interface OrdinaryUser {
  dataDir: string
  start: () => Promise<Server>
  /** Ids of processes of its networks: by the name of their program. */
  serving: (program: string) => Promise<number[]>
  close: () => Promise<void>
}

export async function newOrdinaryUser(): Promise<OrdinaryUser> {
  const home = await mkdtemp(join(tmpdir(), 'slipway-user-'))
  const dataDir = join(home, 'data')
  await cp(imagesDir, join(dataDir, 'images'), { recursive: true })
  await copyFile(join(imagesDir, 'accelerator.json'), join(dataDir, 'accelerator.json')).catch(() => {})
  await run('chown', ['-R', `${NOBODY}:${NOBODY}`, home])
  // As Debian's udev has it; containers may keep it to root.
  const tun = join(home, 'tun')
  await run('mknod', ['-m', '666', tun, 'c', '10', '200'])
  const asUser = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--']
  const script = 'mount --bind "$0" /dev/net/tun && exec "$@"'
  const entry = ['unshare', '--mount', 'sh', '-c', script, tun, ...asUser]

  async function serving(program: string): Promise<number[]> {
    const found: number[] = []
    for (const pid of (await readdir('/proc')).map(Number).filter((one) => one > 1)) {
      const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      const [command = ''] = text.split('\0')
      if (command.includes(program) && text.includes(dataDir)) found.push(pid)
    }
    return found
  }

  return {
    dataDir,
    start: () =>
      startServer(
        // A guest that is kept ready would keep the network of all guests.
        { SLIPWAY_ENGINE: 'qemu', HOME: home, SLIPWAY_NETWORK: 'auto', SLIPWAY_RESERVE: '0' },
        dataDir,
        undefined,
        entry,
      ),
    serving,
    async close() {
      const programs = await Promise.all(['tail', 'pasta', 'dnsmasq'].map(serving))
      for (const pid of [...programs.flat(), ...(await guestsOf(dataDir)).map((guest) => guest.pid)])
        process.kill(pid, 'SIGKILL')
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** Something that answers at every address of this host, and beyond it at `FAR`. */
export async function newSurroundings(): Promise<{ close: () => Promise<void> }> {
  const name = `slipway-far-${process.pid}`
  const link = `swf-${process.pid}`
  const onHost = createServer((socket) => socket.on('error', () => {}).end('open\n'))
  onHost.listen(PORT, '0.0.0.0')
  await once(onHost, 'listening')
  await run('ip', ['netns', 'add', name])
  await run('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'name', 'out', 'netns', name])
  await run('ip', ['link', 'set', link, 'up'])
  // No address on the host: browsers on it would end what they are loading.
  await run('ip', ['route', 'add', 'local', '11.78.0.254', 'dev', link])
  for (const args of [
    ['link', 'set', 'lo', 'up'],
    ['address', 'add', `${FAR}/32`, 'dev', 'lo'],
    ['address', 'add', '11.78.0.2/24', 'dev', 'out'],
    ['link', 'set', 'out', 'up'],
  ])
    await run('ip', ['-n', name, ...args])
  const way = ['via', '11.78.0.2', 'dev', link, 'onlink', 'src', '11.78.0.254']
  await run('ip', ['route', 'add', `${FAR}/32`, ...way])
  const answers = `require('node:net').createServer((one) => one.on('error', () => {}).end('open\\n')).listen(${PORT}, '${FAR}', () => console.log('on'))`
  const far = spawn('nsenter', [`--net=/run/netns/${name}`, '--', process.execPath, '-e', answers])
  await once(far.stdout, 'data')
  return {
    async close() {
      far.kill('SIGKILL')
      onHost.close()
      await run('ip', ['link', 'delete', link])
      await run('ip', ['netns', 'delete', name])
    },
  }
}
