import { isTransitional, type Vm } from '@slipway/contract'

type Known = ReadonlyMap<string, string>

/** More than this many at once are told as a number. */
const namedAtMost = 3

export function statusesOf(vms: readonly Pick<Vm, 'id' | 'status'>[]): Known {
  return new Map(vms.map(({ id, status }) => [id, status]))
}

/** What to say about VMs that came to rest since the statuses in `before`; null when there is nothing. */
export function settledText(
  before: Known,
  vms: readonly Pick<Vm, 'id' | 'name' | 'status'>[],
): string | null {
  const settled = vms.filter((vm) => {
    const old = before.get(vm.id)
    return old !== undefined && old !== vm.status && !isTransitional(vm)
  })
  if (settled.length === 0) return null
  if (settled.length > namedAtMost) return `${settled.length} VMs changed their status`
  return settled.map(({ name, status }) => `${name} is ${wordOf(status)}`).join(', ')
}

function wordOf(status: string): string {
  return status === 'error' ? 'in error' : status
}
