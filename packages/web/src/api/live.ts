import { fillPath, type ProjectEvents, routeOf } from '@slipway/contract'
import { useEffect } from 'react'
import { noteActivity } from './activity.ts'
import { apiBase } from './client.ts'
import { patchDiskSnapshots } from './disk-snapshots.ts'
import { patchDisks } from './disks.ts'
import { patchOperations } from './operations.ts'
import { keyOf, queryClient } from './query.ts'
import { patchVmPools } from './vm-pools.ts'
import { patchVmSets } from './vm-sets.ts'
import { patchVmSnapshots } from './vm-snapshots.ts'
import { patchVms, useVmPoll } from './vms.ts'

/** Events are collected this long, so that a thousand starting VMs are a few repaints. */
const collectMs = 100
const reopenMs = 5_000

type Patches = { [K in keyof ProjectEvents]: (projectId: string, events: ProjectEvents[K][]) => void }

/** Where each kind of event goes. */
const patches: Patches = {
  vm: patchVms,
  disk: patchDisks,
  vm_snapshot: patchVmSnapshots,
  disk_snapshot: patchDiskSnapshots,
  vm_pool: patchVmPools,
  vm_set: patchVmSets,
  operation: patchOperations,
}

/** Collects the events of one kind and brings them in together. */
function collect<K extends keyof ProjectEvents>(projectId: string, kind: K) {
  let events: ProjectEvents[K][] = []
  let flushing: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    flushing = undefined
    patches[kind](projectId, events)
    events = []
    noteActivity(projectId)
  }
  return {
    take({ data }: MessageEvent<string>) {
      // The server parsed it by the contract's schema before it left.
      events.push(JSON.parse(data) as ProjectEvents[K])
      flushing ??= setTimeout(flush, collectMs)
    },
    stop: () => clearTimeout(flushing),
  }
}

/**
 * Keeps everything shown of a project up to date: one event stream, and beside it the poll of the VM list, so
 * that a dead stream is never noticed. Used once, at the root of the routes.
 */
export function useLiveProject(projectId: string | undefined): void {
  useVmPoll(projectId)

  useEffect(() => {
    if (projectId === undefined) return
    let source: EventSource | undefined
    let reopening: ReturnType<typeof setTimeout> | undefined
    let missed = false
    const kinds = Object.keys(patches) as (keyof ProjectEvents)[]
    const collectors = kinds.map((kind) => ({ kind, ...collect(projectId, kind) }))

    const open = () => {
      source = new EventSource(apiBase + fillPath(routeOf('event.stream').path, { projectId }), {
        withCredentials: true,
      })
      source.addEventListener('open', () => {
        // What happened while the stream was down is not sent again.
        if (missed) void queryClient.invalidateQueries()
        missed = false
      })
      for (const { kind, take } of collectors) source.addEventListener(kind, take)
      source.addEventListener('error', () => {
        missed = true
        // The browser reconnects by itself after a lost connection, but not after an answer like 502 or 401. It does
        // not say which; the next call does, and a 401 ends the session here.
        if (source?.readyState !== EventSource.CLOSED) return
        reopening = setTimeout(open, reopenMs)
        void queryClient.refetchQueries({ queryKey: keyOf('project.list') })
      })
    }
    open()
    return () => {
      source?.close()
      clearTimeout(reopening)
      for (const { stop } of collectors) stop()
    }
  }, [projectId])
}
