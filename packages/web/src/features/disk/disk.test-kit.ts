/** What tests of the screens of disks share. */
import type { Disk } from '@slipway/contract'
import { makeDisk } from '@slipway/e2e/objects'
import { type Locator, page } from 'vitest/browser'
import { toasts } from '../../screen/screen.test-kit.ts'

export const cardOf = (name: string): Locator => page.getByRole('article', { name, exact: true })

/** The newest message of a failure. */
export const newestAlert = (): Locator => toasts().getByRole('alert').first()

export const linesOf = (toast: Locator): Locator => toast.getByRole('paragraph')

/** A failure in the server's words, in none, and without an answer; with the lines of the toast. */
export const failures = (text: string, status = 409) =>
  [
    [status, { message: 'The server says why' }, [text, 'The server says why']],
    [500, {}, [text]],
    [null, {}, [text]],
  ] as const

/** A disk on a VM, as the server sends it. */
export const attached = (name: string, vm: string, more: Partial<Disk> = {}): Disk =>
  makeDisk(name, 'attached', { vm_id: `id-of-${vm}`, vm_name: vm, ...more })
