/** What a VM is made from: its boot image, and the disks that are made for it. */
import type { Engine, ImageState } from '../engine/engine.ts'
import type { VmRepo } from './vm.repo.ts'
import type { VmRecord } from './vm.state.ts'

export type Parts =
  | { state: 'ready' }
  | { state: 'coming'; step: 'image' | 'disks' | 'copy'; message: string | null }
  | { state: 'unavailable'; why: string }

/** Looks at the parts of a VM that has not been made yet. Asking for the image starts fetching it. */
export async function lookAtParts(
  vm: VmRecord,
  { engine, repo }: { engine: Engine; repo: VmRepo },
): Promise<Parts> {
  const image = await engine.image(vm.imageId)
  if (image.state === 'unavailable') {
    return {
      state: 'unavailable',
      why: `The boot image of ${vm.templateName} is not available. ${image.reason}`.trim(),
    }
  }
  if (image.state === 'coming') return { state: 'coming', step: 'image', message: imageMessage(image) }
  return vm.member ? lookAtOwnDisks(vm, repo) : { state: 'ready' }
}

/** Looks at the disks that are made for a VM and go with it. */
export async function lookAtOwnDisks(vm: VmRecord, repo: Pick<VmRepo, 'ownDisks'>): Promise<Parts> {
  const own = await repo.ownDisks(vm.id)
  const failed = own.find(({ status }) => status === 'failed')
  if (failed) {
    return {
      state: 'unavailable',
      why: `Disk "${failed.name}" could not be created. ${failed.status_message ?? ''}`.trim(),
    }
  }
  const coming = own.find(({ status }) => status === 'creating')
  return coming ? { state: 'coming', step: 'disks', message: coming.status_message } : { state: 'ready' }
}

function imageMessage(image: Extract<ImageState, { state: 'coming' }>): string {
  return image.progress === null ? `${image.what}.` : `${image.what}: ${Math.floor(image.progress * 100)} %.`
}
