import { useSyncExternalStore } from 'react'
import { setProofAsker } from './client.ts'

/** Calls that wait until the user confirmed who they are, or did not want to. */
let waiting: ((confirmed: boolean) => void)[] = []
const listeners = new Set<() => void>()

function set(next: typeof waiting): void {
  waiting = next
  for (const listener of listeners) listener()
}

/** From now on calls that need a confirmation wait for it: something is there that asks for it. */
export function beginAskingForProof(): () => void {
  setProofAsker(() => new Promise((resolve) => set([...waiting, resolve])))
  return () => {
    setProofAsker(async () => false)
    settleProof(false)
  }
}

/** Whether a call waits for a confirmation. */
export const useProofAsked = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => waiting.length > 0,
  )

/** Lets all calls go on that wait. */
export function settleProof(confirmed: boolean): void {
  const asked = waiting
  set([])
  for (const resolve of asked) resolve(confirmed)
}
