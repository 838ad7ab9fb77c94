import type { VmForm } from './vm-form.ts'

/** What was typed, kept while the user looks after the SSH keys or a disk. */
export interface VmDraft {
  form: VmForm
  /** Disks are those of this project. */
  projectId: string | undefined
  /** Which visit of the form this was: going back to it brings the draft back, a new visit begins anew. */
  visit: string
}

const key = 'slipway.vm-draft'

export function saveDraft(draft: VmDraft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // Without storage the form begins anew.
  }
}

export function readDraft(visit: string): VmDraft | null {
  try {
    // Written by saveDraft in this very tab.
    const draft = JSON.parse(sessionStorage.getItem(key) ?? 'null') as VmDraft | null
    return draft?.visit === visit ? draft : null
  } catch {
    return null
  }
}

export function dropDraft(): void {
  try {
    sessionStorage.removeItem(key)
  } catch {
    // Then there is none.
  }
}
