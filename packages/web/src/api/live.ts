import { fillPath, routeOf } from '@slipway/contract'
import { useEffect } from 'react'
import { apiBase } from './client.ts'
import { setLostSince } from './connection.ts'
import type { ToTab } from './hub.ts'
import { bringIn, type EventKind } from './live-events.ts'
import { joinStream } from './live-link.ts'
import type { Said } from './order.ts'
import { queryClient } from './query.ts'
import { readRevision } from './revision.ts'
import { recheckSession, useSession } from './session.ts'
import { useVmPoll } from './vms.ts'

/** The first event is shown at once, those that follow together: a thousand starting VMs cause a few repaints. */
const collectMs = 100

/** Every kind there is; what becomes of one is said where it is shown. */
const kinds: Readonly<Record<EventKind, true>> = {
  project: true,
  vm: true,
  disk: true,
  vm_snapshot: true,
  disk_snapshot: true,
  vm_pool: true,
  vm_set: true,
  share: true,
  operation: true,
  batch: true,
  bin_item: true,
}

/** The names of the events that say what an object is like. */
export const eventKinds = Object.keys(kinds) as EventKind[] // the record has no others

interface Collected {
  kind: EventKind
  projectId: string
  all: Said<never>[]
}

/**
 * Applies events, those that arrive close together at once. The first one needs no timer, because browsers delay the
 * timers of hidden tabs by a second and more.
 */
function makeCollector() {
  let collected = new Map<string, Collected>()
  let flushing: ReturnType<typeof setTimeout> | undefined
  let flushedAt = 0

  function flush(): void {
    flushing = undefined
    flushedAt = Date.now()
    const all = [...collected.values()]
    collected = new Map()
    for (const { kind, projectId, all: events } of all) bringIn(kind, projectId, events)
  }

  return {
    take(kind: EventKind, data: string, revision: string | null): void {
      // The server parsed it by the contract's schema before it left.
      const object = JSON.parse(data) as { id: string; project_id?: string | null }
      const projectId = object.project_id ?? object.id
      const key = `${kind} ${projectId}`
      const group = collected.get(key) ?? { kind, projectId, all: [] }
      // The states under a kind are all of that kind.
      group.all.push({ object: object as never, at: readRevision(revision) })
      collected.set(key, group)
      if (flushing !== undefined) return
      if (Date.now() - flushedAt >= collectMs) flush()
      else flushing = setTimeout(flush, collectMs)
    },
    stop: () => clearTimeout(flushing),
  }
}

const isKind = (name: string): name is EventKind => name in kinds

/**
 * Keeps everything shown up to date: one event stream for all tabs of the browser, and also the poll of the VM list,
 * so that a dead stream goes unnoticed. Used once, at the root of the routes.
 */
export function useLive(projectId: string | undefined): void {
  useVmPoll(projectId)
  const { user, revision: after } = useSession()
  // With an account that is being deleted there is nothing to hear of.
  const userId = user?.delete_at ? undefined : user?.id

  useEffect(() => {
    if (userId === undefined) return
    const collector = makeCollector()
    function hear(message: ToTab): void {
      if (message.say === 'state') setLostSince(message.lostSince)
      // A refused stream does not say why; the next call does.
      if (message.say === 'refused') void recheckSession()
      if (message.say !== 'event') return
      const { name, data, revision } = message
      if (isKind(name)) collector.take(name, data, revision)
      else {
        // The server may not know what changed since.
        const { replayed } = JSON.parse(data) as { replayed: boolean }
        if (!replayed) void queryClient.invalidateQueries()
      }
    }
    const leave = joinStream({
      userId,
      url: `${apiBase}${fillPath(routeOf('event.streamAll').path)}?account=${encodeURIComponent(userId)}`,
      names: eventKinds,
      after,
      hear,
    })
    return () => {
      leave()
      collector.stop()
      setLostSince(null)
    }
  }, [userId, after])
}
