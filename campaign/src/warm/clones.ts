/**
 * `npm run campaign -- clones N`: that many VMs at once from one frozen guest. Whatever makes one of them who it is differs
 * from that of every other, and nothing of the person before is in what was frozen.
 */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Vm } from '@slipway/contract'
import { openGround } from './ground.ts'

const run = promisify(execFile)

/** What each guest prints of itself, by its name. Random bytes first: the later, the easier they differ. */
export const facts = {
  'random bytes': 'head -c 32 /dev/urandom | od -An -v -tx1 | tr -d " \\n"',
  'kernel UUID': 'cat /proc/sys/kernel/random/uuid',
  'boot id': 'cat /proc/sys/kernel/random/boot_id',
  'machine id': 'cat /etc/machine-id',
  'host key': 'dropbearkey -y -f /etc/dropbear/dropbear_ed25519_host_key | grep ^ssh- | cut -d " " -f 2',
  'host name': 'hostname',
  MAC: 'cat /sys/class/net/eth0/address',
  address: 'ip -o -4 address show dev eth0 | tr -s " " | cut -d " " -f 4',
} as const

const command = Object.values(facts)
  .map((one) => `echo $(${one})`)
  .join('; ')

/** Facts that several have in common, or that one does not tell. */
export function sharedFacts(lines: readonly (readonly string[])[]): string[] {
  return Object.keys(facts).flatMap((name, at) => {
    const values = lines.map((line) => line[at] ?? '')
    if (values.includes('')) return [`${name}: a VM tells none`]
    const twice = values.filter((value, index) => values.indexOf(value) !== index)
    return twice.length > 0 ? [`${name}: ${twice.join(', ')} more than once`] : []
  })
}

export async function clones(
  count: number,
  log: (line: string) => void,
  stop: AbortSignal,
): Promise<boolean> {
  const ground = await openGround(stop)
  const wrong: string[] = []
  try {
    // Somebody was here before, and left something in memory, on the disk and in a key.
    const marker = `marker-${randomUUID()}`
    const before = await ground.untilVm((await ground.create('before')).id, 'running')
    await ground.ssh(before, `echo ${marker} > /root/mark; echo ${marker} > /dev/shm/mark; sync`)
    const frozen = await ground.frozen()

    const began = performance.now()
    const made = await Promise.all(Array.from({ length: count }, (_, i) => ground.create(`clone-${i}`)))
    const took: number[] = []
    const vms: Vm[] = await Promise.all(
      made.map(async ({ id }) => {
        const vm = await ground.untilVm(id, 'running')
        took.push(performance.now() - began)
        return vm
      }),
    )
    const lines: string[][] = []
    for (const vm of vms) {
      lines.push((await ground.ssh(vm, command)).split('\n'))
      const keys = (await ground.ssh(vm, 'cat /root/.ssh/authorized_keys')).split('\n')
      // And that of SSH by name.
      const others = keys.filter((key) => key !== ground.publicKey && !key.endsWith(' slipway-gateway'))
      if (!keys.includes(ground.publicKey) || others.length > 0) wrong.push(`${vm.name} has the keys ${keys}`)
    }
    wrong.push(...sharedFacts(lines))
    let warm = 0
    for (const [index, vm] of vms.entries()) {
      const record = await readFile(join(ground.dataDir, 'machines', vm.id, 'run.json'), 'utf8')
      if (JSON.parse(record).warm?.renewed === true) warm += 1
      if (lines[index]?.[5] !== vm.name) wrong.push(`${vm.name} calls itself ${lines[index]?.[5]}`)
    }
    if (warm < count) wrong.push(`${count - warm} of ${count} VMs booted`)
    const own = [marker, before.id, ground.publicKey.split(' ')[1] ?? '']
    for (const name of ['memory', 'root.qcow2', 'state'])
      for (const text of own)
        if (await holds(join(frozen, name), text)) wrong.push(`The frozen ${name} has ${text} in it`)
    const sorted = took.sort((one, other) => one - other).map((ms) => (ms / 1000).toFixed(1))
    log(
      `${warm} of ${count} VMs started warm, created at once; running after ${sorted[0]} to ${sorted.at(-1)} s`,
    )
  } finally {
    await ground.close()
  }
  for (const one of wrong) log(`WRONG: ${one}`)
  if (wrong.length === 0)
    log(`${Object.keys(facts).length} facts differ pairwise; no marker in what was frozen`)
  return wrong.length === 0
}

const holds = (path: string, text: string): Promise<boolean> =>
  run('grep', ['-q', '-a', '-F', '-e', text, path]).then(
    () => true,
    (error: { code?: unknown }) => {
      if (error.code === 1) return false
      throw error
    },
  )
