/** etcd out of Debian's packages, for guests of Starter Linux: one program, which needs nothing but the C library there. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip } from 'node:zlib'

const run = promisify(execFile)
const packages = ['etcd-server', 'etcd-client']

export interface Etcd {
  /** On this host. */
  server: string
  client: string
}

/** Fetches both programs into a directory; nothing is installed. */
export async function fetchEtcd(dir: string): Promise<Etcd> {
  await mkdir(dir, { recursive: true })
  const download = (options: string[]) =>
    run('apt-get', [...options, '-q', 'download', ...packages], { cwd: dir })
  await download([]).catch(async () => {
    // The lists of the host are missing or out of date.
    const [lists, cache] = [join(dir, 'lists'), join(dir, 'cache')]
    for (const place of [join(lists, 'partial'), join(cache, 'archives', 'partial')])
      await mkdir(place, { recursive: true })
    const own = ['-o', `Dir::State::Lists=${lists}`, '-o', `Dir::Cache=${cache}`, '-o', 'APT::Sandbox::User=']
    await run('apt-get', [...own, '-q', 'update'])
    await download(own)
  })
  for (const file of await readdir(dir))
    if (file.endsWith('.deb')) await run('dpkg-deb', ['-x', join(dir, file), join(dir, 'unpacked')])
  const bin = join(dir, 'unpacked', 'usr', 'bin')
  return { server: join(bin, 'etcd'), client: join(bin, 'etcdctl') }
}

/** Puts a program into a guest; compressed on its way, which is slow where guests run in software. */
export async function putProgram(
  from: string,
  to: string,
  { address, port, key }: { address: string; port: number; key: string },
): Promise<void> {
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'BatchMode=yes',
  ]
  const unpack = `gunzip > ${to} && chmod +x ${to}`
  const ssh = spawn(
    'ssh',
    [...options.flatMap((one) => ['-o', one]), '-i', key, '-p', `${port}`, `root@${address}`, unpack],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  )
  const ended = once(ssh, 'close')
  await pipeline(createReadStream(from), createGzip({ level: 1 }), ssh.stdin)
  const [status] = await ended
  if (status !== 0) throw new Error(`The program was not put into the guest: ssh ended with ${status}`)
}

/** What starts a member; it goes on by itself. Its limits are those of a host on which everything takes its time. */
export function startMember(name: string, members: readonly string[]): string {
  const at = (host: string, port: number) => `http://${host}:${port}`
  const options = {
    name,
    'data-dir': '/var/lib/etcd',
    'listen-peer-urls': at('0.0.0.0', 2380),
    'listen-client-urls': at('0.0.0.0', 2379),
    'initial-advertise-peer-urls': at(name, 2380),
    'advertise-client-urls': at(name, 2379),
    'initial-cluster': members.map((member) => `${member}=${at(member, 2380)}`).join(),
    'initial-cluster-state': 'new',
    'heartbeat-interval': '500',
    'election-timeout': '5000',
  }
  const words = Object.entries(options).map(([option, value]) => `--${option} ${value}`)
  return `mkdir -p /var/lib/etcd; chmod 700 /var/lib/etcd
setsid /tmp/etcd ${words.join(' ')} < /dev/null > /tmp/etcd.log 2>&1 & echo $! > /run/etcd.pid`
}
