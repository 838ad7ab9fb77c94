/**
 * From "Create VM" (the POST) to the first login over SSH, against QEMU started by hand: same image, same flags,
 * same seed, in turns, so that both see the same load.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { projectApi, sshKeyApi, type Vm, vmApi } from '@slipway/contract'
import { clear, guestsOf, newDataDir, newKeyPair, startRealServer } from '@slipway/e2e/real'
import { newPerson, type Person } from './person.ts'
import { quantile, report } from './report.ts'

const run = promisify(execFile)
const turns = 5

/** Tries to log in until it works; a refused or early connection costs a twentieth of a second. */
async function logIn(address: string, port: number, key: string): Promise<void> {
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

async function viaSlipway(
  person: Person,
  params: { projectId: string },
  body: { template_id: string; ssh_key_id: string },
  key: string,
) {
  const start = performance.now()
  let vm: Vm = await person.call(vmApi.create, { params, body: { ...body, name: 'bench' } })
  const post = performance.now() - start
  while (vm.status !== 'running') {
    if (vm.status === 'failed') throw new Error(vm.status_message ?? 'failed')
    await sleep(20)
    vm = await person.call(vmApi.get, { params: { ...params, vmId: vm.id } })
  }
  await logIn(vm.ip_address ?? '', vm.ssh_port, key)
  return { total: performance.now() - start, post, vm }
}

interface Recipe {
  args: string[]
  dir: string
  backingFile: string
  address: string
  port: number
}

/** What is needed to start the same guest by hand: the arguments of a living one, and its files. */
async function recipeOf(pid: number, vm: Vm): Promise<Recipe> {
  const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').filter(Boolean)
  const machine = await readlink(`/proc/${pid}/cwd`)
  const dir = await mkdtemp(join(tmpdir(), 'slipway-bare-'))
  for (const file of ['seed.iso', 'seed.img', 'seed'])
    await cp(join(machine, file), join(dir, file)).catch(() => {})
  const { stdout } = await run('qemu-img', ['info', '-U', '--output=json', join(machine, 'root.qcow2')])
  return {
    args,
    dir,
    backingFile: (JSON.parse(stdout) as { 'full-backing-filename': string })['full-backing-filename'],
    address: vm.ip_address ?? '',
    port: vm.ssh_port,
  }
}

/** By hand there is no server to talk to: readiness goes to a file, and the guest runs at once as this user. */
function bareArgs(args: string[]): string[] {
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
    bare.push(flag.startsWith('ringbuf,id=ready') ? 'file,id=ready,path=ready.log' : flag)
  }
  return bare
}

async function byHand(recipe: Recipe, key: string): Promise<number> {
  await rm(join(recipe.dir, 'ready.log'), { force: true })
  const start = performance.now()
  await run('qemu-img', [
    'create',
    '-q',
    '-f',
    'qcow2',
    '-b',
    recipe.backingFile,
    '-F',
    'qcow2',
    join(recipe.dir, 'root.qcow2'),
  ])
  const guest = spawn('qemu-system-x86_64', bareArgs(recipe.args), { cwd: recipe.dir, stdio: 'ignore' })
  try {
    for (;;) {
      if (guest.exitCode !== null) throw new Error(`QEMU by hand ended with ${guest.exitCode}`)
      if ((await readFile(join(recipe.dir, 'ready.log'), 'utf8').catch(() => '')).includes('ready')) break
      await sleep(20)
    }
    await logIn(recipe.address, recipe.port, key)
    return performance.now() - start
  } finally {
    guest.kill('SIGKILL')
    if (guest.exitCode === null) await once(guest, 'exit')
  }
}

export async function benchCreateToSsh(): Promise<boolean> {
  const dataDir = await newDataDir()
  const server = await startRealServer(dataDir)
  let recipe: Recipe | null = null
  try {
    const person = await newPerson(server)
    const { file, publicKey } = await newKeyPair(dataDir)
    const key = await person.call(sshKeyApi.create, {
      body: { key_name: 'bench', ssh_public_key: publicKey },
    })
    const project = await person.call(projectApi.create, { body: { name: 'bench' } })
    const params = { projectId: project.id }
    const body = { template_id: 'starter', ssh_key_id: key.id }
    const slipway: number[] = []
    const posts: number[] = []
    const bare: number[] = []
    // The first turn warms the page cache for both and is not counted.
    for (let turn = 0; turn <= turns; turn++) {
      const { total, post, vm } = await viaSlipway(person, params, body, file)
      const guest = (await guestsOf(dataDir))[0]
      if (guest && !recipe) recipe = await recipeOf(guest.pid, vm)
      await person.call(vmApi.delete, { params: { ...params, vmId: vm.id } })
      while ((await guestsOf(dataDir)).length > 0) await sleep(100)
      if (!recipe) throw new Error('the guest was not found')
      const hand = await byHand(recipe, file)
      if (turn === 0) continue
      slipway.push(total)
      posts.push(post)
      bare.push(hand)
    }
    const ratios = slipway.map((ms, i) => ms / (bare[i] ?? Number.NaN))
    return report(
      `Create to first SSH login, ${turns} turns, ${server.output().match(/TCG|KVM/)?.[0] ?? ''}`,
      [
        { what: 'POST alone, median', value: quantile(posts, 0.5), unit: 'ms', goal: 50 },
        { what: 'POST to login, median', value: quantile(slipway, 0.5) / 1000, unit: 's', goal: null },
        { what: 'QEMU by hand to login, median', value: quantile(bare, 0.5) / 1000, unit: 's', goal: null },
        { what: 'ratio, median of turns', value: quantile(ratios, 0.5), unit: 'x', goal: 1.1 },
      ],
    )
  } finally {
    await server.stop()
    await clear(dataDir)
    if (recipe) await rm(recipe.dir, { recursive: true, force: true })
  }
}
