/** Guests started by hand, with the files and flags of guests that Slipway started: what Slipway is measured against. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, readlink, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Tries to log in until it works; a refused or early connection costs a twentieth of a second. */
export async function logIn(address: string, port: number, key: string): Promise<void> {
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'BatchMode=yes',
  ]
  for (;;) {
    try {
      await run('ssh', [
        ...options.flatMap((o) => ['-o', o]),
        '-i',
        key,
        '-p',
        `${port}`,
        `root@${address}`,
        'true',
      ])
      return
    } catch {
      await sleep(50)
    }
  }
}

export interface Recipe {
  args: string[]
  dir: string
  backingFile: string
  address: string
  port: number
  /** Leads to `SPARE_PORT` of the guest. */
  sparePort: number
}

/** A port of guests by hand that is reached like SSH. */
export const SPARE_PORT = 5000

/** What is needed to start the same guest by hand: the arguments of a living one, and its files. */
export async function recipeOf(pid: number): Promise<Recipe> {
  const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').filter(Boolean)
  const machine = await readlink(`/proc/${pid}/cwd`)
  const dir = await mkdtemp(join(tmpdir(), 'slipway-bare-'))
  for (const file of ['seed.iso', 'seed.img', 'seed'])
    await cp(join(machine, file), join(dir, file)).catch(() => {})
  const { stdout } = await run('qemu-img', ['info', '-U', '--output=json', join(machine, 'root.qcow2')])
  return {
    args,
    dir,
    // By another way than through the directory of the machine, which goes with it.
    backingFile: await realpath(
      (JSON.parse(stdout) as { 'full-backing-filename': string })['full-backing-filename'],
    ),
    address: '127.100.255.253',
    port: ++lastPort,
    sparePort: lastPort + SPARE_PORT,
  }
}

/** By hand a guest is behind user networking: what project networks cost is a part of what Slipway costs. */
let lastPort = 2222
const userNetwork = ({ address, port, sparePort }: Recipe) =>
  `user,id=net,ipv6=off,hostfwd=tcp:${address}:${port}-:22,hostfwd=tcp:${address}:${sparePort}-:${SPARE_PORT}`

/** By hand there is no server to talk to: readiness and output go to files, and the guest runs at once as this user. */
function bareArgs(recipe: Recipe): string[] {
  const { args } = recipe
  const bare: string[] = []
  for (let i = 1; i < args.length; i++) {
    const [flag = '', value = ''] = [args[i], args[i + 1]]
    if (flag === '-S' || flag === '-daemonize') continue
    if (
      ['-runas', '-qmp', '-mon', '-pidfile'].includes(flag) ||
      (flag === '-chardev' && value.includes('id=journal'))
    ) {
      i++
      continue
    }
    if (flag.startsWith('tap,') || flag.startsWith('user,')) bare.push(userNetwork(recipe))
    else if (flag.startsWith('ringbuf,id=ready')) bare.push('file,id=ready,path=ready.log')
    else if (flag.startsWith('pipe,id=serial')) bare.push('file,id=serial,path=serial.log')
    else bare.push(flag)
  }
  return bare
}

/** A guest by hand, which says it is up; `end` kills it. */
export async function startByHand(recipe: Recipe): Promise<{ end: () => Promise<void> }> {
  await rm(join(recipe.dir, 'ready.log'), { force: true })
  const root = join(recipe.dir, 'root.qcow2')
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', recipe.backingFile, '-F', 'qcow2', root])
  const guest = spawn('qemu-system-x86_64', bareArgs(recipe), { cwd: recipe.dir, stdio: 'ignore' })
  async function end(): Promise<void> {
    guest.kill('SIGKILL')
    if (guest.exitCode === null && guest.signalCode === null) await once(guest, 'exit')
  }
  for (;;) {
    if (guest.exitCode !== null) throw new Error(`QEMU by hand ended with ${guest.exitCode}`)
    if ((await readFile(join(recipe.dir, 'ready.log'), 'utf8').catch(() => '')).includes('ready'))
      return { end }
    await sleep(20)
  }
}

/** Milliseconds from nothing to the first login. */
export async function byHand(recipe: Recipe, key: string): Promise<number> {
  const start = performance.now()
  const guest = await startByHand(recipe)
  try {
    await logIn(recipe.address, recipe.port, key)
    return performance.now() - start
  } finally {
    await guest.end()
  }
}
