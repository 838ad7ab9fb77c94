import type { Proof } from '@slipway/contract'
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { call, setProofAsker } from './client.ts'
import { keyOf } from './query.ts'

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

export const giveProof = (body: Proof): Promise<unknown> => call('proof.give', { body })

/** How the user can confirm who they are; the password until that is known. */
export function useProofWays() {
  const { data } = useQuery({
    queryKey: keyOf('proof.ways'),
    queryFn: ({ signal }) => call('proof.ways', { signal }),
    staleTime: 0,
  })
  return data ?? { password: true, code: false, passkey: false }
}
