import type { Vm } from '@slipway/contract'
import { useEffect, useRef } from 'react'
import { announce } from '../../shell/announce.ts'
import { settledText, statusesOf } from './vm-changes.ts'

/** Tells assistive technology when one of the shown VMs comes to rest. */
export function useAnnouncedChanges(vms: readonly Vm[]): void {
  const before = useRef(statusesOf(vms))
  useEffect(() => {
    const text = settledText(before.current, vms)
    before.current = statusesOf(vms)
    if (text) announce(text)
  }, [vms])
}
