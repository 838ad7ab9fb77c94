/** Whether what the server says is what its engine really holds. */
import { readdir } from 'node:fs/promises'
import type { Finding } from './compare.ts'
import type { Seen } from './look.ts'
import { type Owner, ownerKey, type Truth } from './truth/truth.ts'

/** Of what is well there has to be something. */
const statusesOfWhole: Partial<Record<Seen['kind'], readonly string[]>> = {
  vm: ['running', 'suspended', 'stopped'],
  disk: ['available', 'attached'],
  vmSnapshot: ['ready'],
  diskSnapshot: ['ready'],
}

/** Whether every status is true, everything has an owner, and every owner has what it says; asked when all is at rest. */
export function checkTruth(
  { alive, holdings, kept, disksOf, broken }: Truth,
  seen: readonly Seen[],
  /** What is deleted and kept in bins: it is there, and does not run. */
  inBins: readonly Owner[] = [],
): Finding[] {
  const findings: Finding[] = []
  const find = (rule: string, message: string) => findings.push({ rule, message })
  const owners = new Set([...seen.map(({ kind, object: { id } }) => ({ kind, id })), ...inBins].map(ownerKey))
  for (const { kind, id } of inBins)
    if (kind === 'vm' && alive.has(id)) find('awake', `VM ${id} is in the bin, but its guest runs`)
  for (const { what, owner } of holdings)
    if (owner === null || !owners.has(ownerKey(owner)))
      find('orphan', `The engine holds something that belongs to nobody: ${what}`)
  for (const { kind, object } of seen) {
    const { id, name, status = '' } = object
    if (kept && statusesOfWhole[kind]?.includes(status) && !kept.has(ownerKey({ kind, id })))
      find('hollow', `${kind} ${name} (${id}) is ${status}, and the engine holds nothing of it`)
    if (kind !== 'vm') continue
    if (status === 'running' && !alive.has(id)) find('untrue', `VM ${name} is running, but its guest is not`)
    if (['stopped', 'suspended'].includes(status) && alive.has(id))
      find('untrue', `VM ${name} is ${status}, but its guest runs`)
    const disks = status === 'running' ? disksOf?.get(id) : undefined
    for (const disk of disks ? seen.filter((one) => one.kind === 'disk') : []) {
      const isIn = disks?.has(disk.object.id) === true
      if (isIn === (disk.object.vm_id === id)) continue
      const is = isIn ? 'has' : 'does not have'
      find(
        'untrue',
        `The guest of VM ${name} ${is} disk ${disk.object.name}, which says ${disk.object.vm_id}`,
      )
    }
  }
  findings.push(...broken)
  for (const id of alive)
    if (!owners.has(ownerKey({ kind: 'vm', id }))) find('orphan', `A guest runs that belongs to no VM: ${id}`)
  return findings
}

/** How many descriptors the server has open. */
export const openDescriptors = async (pid: number): Promise<number> =>
  (await readdir(`/proc/${pid}/fd`).catch(() => [])).length
