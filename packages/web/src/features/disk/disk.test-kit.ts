/** What tests of the screens of disks share. */
import type { Disk } from '@slipway/contract'
import { makeDisk } from '@slipway/e2e/objects'
import { type Locator, page } from 'vitest/browser'

export const cardOf = (name: string): Locator => page.getByRole('article', { name, exact: true })

/** A disk on a VM, as the server sends it. */
export const attached = (name: string, vm: string, more: Partial<Disk> = {}): Disk =>
  makeDisk(name, 'attached', { vm_id: `id-of-${vm}`, vm_name: vm, ...more })
