/** What becomes of a VM that somebody changes. Pure. */
import {
  gibibyte,
  type Parsed,
  type QuotaAmounts,
  type SshKey,
  tooSmall,
  type vmApi,
  wholeGi,
} from '@slipway/contract'
import type { VmChange, VmRecord } from './vm.state.ts'

export type VmUpdateBody = Parsed<typeof vmApi.update>['body']

type Sized = Pick<VmRecord, 'cpu' | 'memoryMb' | 'nextCpu' | 'nextMemoryMb'>

/** What a wished size leaves for the next boot: nothing where it is what the VM has. */
const nextOf = (wished: number | undefined, has: number, next: number | null): number | null =>
  wished === undefined ? next : wished === has ? null : wished

/** The size that a VM is to have. */
const nextSizeOf = (vm: Sized, { cpu, memory_mb }: VmUpdateBody) => ({
  nextCpu: nextOf(cpu, vm.cpu, vm.nextCpu),
  nextMemoryMb: nextOf(memory_mb, vm.memoryMb, vm.nextMemoryMb),
})

/** Whether there is something to be given to its guest while that runs. */
export const lacksSize = ({ cpu, memoryMb, nextCpu, nextMemoryMb }: Sized): boolean =>
  (nextCpu ?? 0) > cpu || (nextMemoryMb ?? 0) > memoryMb

/** What becomes of a VM that is to have another size; nothing where that is the same one as before. */
function sizeWished(vm: Sized, asked: VmUpdateBody): VmChange {
  const next = nextSizeOf(vm, asked)
  if (next.nextCpu === vm.nextCpu && next.nextMemoryMb === vm.nextMemoryMb) return {}
  if (next.nextCpu === null && next.nextMemoryMb === null) return { ...next, sizeDue: null }
  return { ...next, sizeDue: lacksSize({ ...vm, ...next }) ? 'soon' : 'next_start' }
}

/** What becomes of a VM whose guest was given what could be; null where that is nothing. */
export function sizeTaken(
  vm: Sized & Pick<VmRecord, 'sizeDue'>,
  has: { cpu: number; memoryMb: number },
): VmChange | null {
  if (vm.cpu === has.cpu && vm.memoryMb === has.memoryMb) return null
  const nextCpu = vm.nextCpu === has.cpu ? null : vm.nextCpu
  const nextMemoryMb = vm.nextMemoryMb === has.memoryMb ? null : vm.nextMemoryMb
  const left = { ...has, nextCpu, nextMemoryMb }
  const isWhole = nextCpu === null && nextMemoryMb === null
  return { ...left, sizeDue: isWhole ? null : lacksSize(left) ? vm.sizeDue : 'next_start' }
}

type Rooted = Pick<VmRecord, 'rootBytes' | 'nextRootBytes'>

/** What a root disk takes of a quota: one that is as its image makes it nothing, one of a size of its own all of that. */
export const rootTaken = ({ rootBytes, nextRootBytes }: Rooted): number =>
  Math.max(rootBytes ?? 0, nextRootBytes ?? 0)

/** What a VM takes of a quota without its data disks: the larger of what it has and what it gets. */
export const takenOf = (vm: Sized & Rooted) => ({
  processors: Math.max(vm.cpu, vm.nextCpu ?? 0),
  memory_mb: Math.max(vm.memoryMb, vm.nextMemoryMb ?? 0),
  disk_bytes: rootTaken(vm),
})

/**
 * What a root disk is made larger to; null where that is the size that it has, or the sentence that says why it cannot be.
 *
 * @param imageBytes how large its image makes it; null where nobody knows
 */
export function nextRootOf(
  { rootBytes, nextRootBytes }: Rooted,
  wantedGb: number | undefined,
  imageBytes: number | null,
): number | null | string {
  if (wantedGb === undefined) return nextRootBytes
  const has = rootBytes ?? imageBytes
  if (has === null || wantedGb > wholeGi(has)) return wantedGb * gibibyte
  // It may be between two whole Gi: what is shown of it is not another size.
  return wantedGb === wholeGi(has) ? null : tooSmall(`${wholeGi(has)}Gi`)
}

/** What becomes of a VM whose root disk was looked at, or made larger. A larger one may have been wished for meanwhile. */
export const rootArrived = ({ nextRootBytes }: Rooted, sizeBytes: number): VmChange => ({
  rootBytes: sizeBytes,
  nextRootBytes: nextRootBytes !== null && nextRootBytes > sizeBytes ? nextRootBytes : null,
})

/** A copy is made of a disk of some earlier moment, and gets the size of now once it runs. */
export const rootOfCopy = ({ rootBytes, nextRootBytes }: Rooted): Rooted => ({
  rootBytes: null,
  nextRootBytes: nextRootBytes ?? rootBytes,
})

/** What a change takes of a quota beyond what the VM takes already. */
export function moreTaken(
  vm: Sized & Rooted,
  asked: VmUpdateBody,
  nextRootBytes: number | null,
): Pick<QuotaAmounts, 'processors' | 'memory_mb' | 'disk_bytes'> {
  const before = takenOf(vm)
  const after = takenOf({ ...vm, ...nextSizeOf(vm, asked), nextRootBytes })
  return {
    processors: Math.max(0, after.processors - before.processors),
    memory_mb: Math.max(0, after.memory_mb - before.memory_mb),
    disk_bytes: Math.max(0, after.disk_bytes - before.disk_bytes),
  }
}

/** So many keys that a VM had before are kept, to be taken from its guest. */
const formerKeysKept = 16

type Keyed = Pick<VmRecord, 'sshKeyId' | 'sshPublicKey' | 'formerSshKeys'>

/** What becomes of a VM that gets another SSH key; nothing where it has that. */
export function keyChange({ sshKeyId, sshPublicKey, formerSshKeys }: Keyed, key: SshKey | null): VmChange {
  if (key === null || key.id === sshKeyId) return {}
  const former = [sshPublicKey, ...formerSshKeys].filter((one) => one !== key.public_key)
  return {
    sshKeyId: key.id,
    sshKeyName: key.name,
    sshPublicKey: key.public_key,
    formerSshKeys: [...new Set(former)].slice(0, formerKeysKept),
    sshKeyDue: 'soon',
  }
}

/** The disks of a VM are those of an earlier moment, so that its guest may have a key from then. */
export const keyOfThen = ({ formerSshKeys }: Pick<VmRecord, 'formerSshKeys'>): Pick<VmChange, 'sshKeyDue'> =>
  formerSshKeys.length === 0 ? {} : { sshKeyDue: 'soon' }

/** What becomes of a VM whose user asked for a change, with the key that was asked for. */
export const changeOf = (
  vm: VmRecord,
  asked: VmUpdateBody,
  key: SshKey | null,
  nextRootBytes: number | null,
): VmChange => ({
  ...sizeWished(vm, asked),
  nextRootBytes,
  // It may say why the size could not be had.
  ...(vm.nextRootBytes !== null && nextRootBytes === null && !vm.known.silent && { statusMessage: null }),
  ...keyChange(vm, key),
  ...(asked.name !== undefined && { name: asked.name }),
  ...(asked.note !== undefined && { note: asked.note }),
  ...(asked.tags !== undefined && { tags: asked.tags }),
  ...(asked.delete_protection !== undefined && { deleteProtection: asked.delete_protection }),
  ...(asked.persistent !== undefined && { persistent: asked.persistent }),
  ...(asked.suspend_after_minutes !== undefined && {
    suspendAfterMin: asked.suspend_after_minutes,
    idleSince: null,
  }),
})

/** What a VM that does not run becomes of the size it was to get; null when it has it. */
export function sizeArrived({ cpu, memoryMb, nextCpu, nextMemoryMb }: Sized): VmChange | null {
  if (nextCpu === null && nextMemoryMb === null) return null
  return {
    ...{ cpu: nextCpu ?? cpu, memoryMb: nextMemoryMb ?? memoryMb },
    ...{ nextCpu: null, nextMemoryMb: null, sizeDue: null },
  }
}
