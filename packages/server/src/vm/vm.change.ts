/** What somebody changes of a VM that is there: what becomes of it, and what the activity log says. Pure. */
import type { Parsed, QuotaAmounts, vmApi } from '@slipway/contract'
import type { Told } from '../activity/entry.ts'
import {
  toldOfName,
  toldOfNote,
  toldOfProtection,
  toldOfSize,
  toldOfStorage,
  toldOfSuspendAfter,
  toldOfTags,
} from './vm.activity.ts'
import type { VmChange, VmRecord } from './vm.state.ts'

export type VmUpdateBody = Parsed<typeof vmApi.update>['body']

type Sized = Pick<VmRecord, 'cpu' | 'memoryMb' | 'nextCpu' | 'nextMemoryMb'>

/** What a wished size leaves for the next boot: nothing where it is what the VM has. */
const nextOf = (wished: number | undefined, has: number, next: number | null): number | null =>
  wished === undefined ? next : wished === has ? null : wished

/** The size that a VM has from its next boot on. */
const nextSizeOf = (vm: Sized, { cpu, memory_mb }: VmUpdateBody) => ({
  nextCpu: nextOf(cpu, vm.cpu, vm.nextCpu),
  nextMemoryMb: nextOf(memory_mb, vm.memoryMb, vm.nextMemoryMb),
})

/** What a VM takes of a quota: the larger of what it has and what it gets. */
const takenOf = ({ cpu, memoryMb, nextCpu, nextMemoryMb }: Sized) => ({
  processors: Math.max(cpu, nextCpu ?? 0),
  memory_mb: Math.max(memoryMb, nextMemoryMb ?? 0),
})

/** What a change takes of a quota beyond what the VM takes already. */
export function moreTaken(vm: Sized, asked: VmUpdateBody): Pick<QuotaAmounts, 'processors' | 'memory_mb'> {
  const before = takenOf(vm)
  const after = takenOf({ ...vm, ...nextSizeOf(vm, asked) })
  return {
    processors: Math.max(0, after.processors - before.processors),
    memory_mb: Math.max(0, after.memory_mb - before.memory_mb),
  }
}

/** The change, and an entry for each thing in it that is not as it was. */
export function changeOf(
  userId: string,
  vm: VmRecord,
  asked: VmUpdateBody,
): { change: VmChange; told: Told[] } {
  const size = nextSizeOf(vm, asked)
  const change = {
    ...size,
    ...(asked.name !== undefined && { name: asked.name }),
    ...(asked.note !== undefined && { note: asked.note }),
    ...(asked.tags !== undefined && { tags: asked.tags }),
    ...(asked.delete_protection !== undefined && { deleteProtection: asked.delete_protection }),
    ...(asked.persistent !== undefined && { persistent: asked.persistent }),
    ...(asked.suspend_after_minutes !== undefined && {
      suspendAfterMin: asked.suspend_after_minutes,
      idleSince: null,
    }),
  }
  const after = { ...vm, ...change }
  const told: (Told | false)[] = [
    after.name !== vm.name && toldOfName(userId, vm.name, after.name),
    (after.nextCpu !== vm.nextCpu || after.nextMemoryMb !== vm.nextMemoryMb) && toldOfSize(userId, after),
    after.persistent !== vm.persistent && toldOfStorage(userId, after),
    after.note !== vm.note && toldOfNote(userId, after.name),
    after.tags.join() !== vm.tags.join() && toldOfTags(userId, after),
    after.deleteProtection !== vm.deleteProtection && toldOfProtection(userId, after),
    after.suspendAfterMin !== vm.suspendAfterMin &&
      toldOfSuspendAfter(userId, after.name, after.suspendAfterMin),
  ]
  return { change, told: told.filter((one) => one !== false) }
}

/** What a VM that does not run becomes of the size it was to get; null when it has it. */
export function sizeArrived({ cpu, memoryMb, nextCpu, nextMemoryMb }: Sized): VmChange | null {
  if (nextCpu === null && nextMemoryMb === null) return null
  return { cpu: nextCpu ?? cpu, memoryMb: nextMemoryMb ?? memoryMb, nextCpu: null, nextMemoryMb: null }
}
