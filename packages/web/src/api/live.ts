import { fillPath, routeOf } from '@slipway/contract'
import { useEffect } from 'react'
import { apiBase } from './client.ts'
import { keyOf, queryClient } from './query.ts'
import { patchVms, useVmPoll, type VmEvent } from './vms.ts'

/** Events are collected this long, so that a thousand starting VMs are a few repaints. */
const collectMs = 100
const reopenMs = 5_000

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
    let flushing: ReturnType<typeof setTimeout> | undefined
    let events: VmEvent[] = []
    let missed = false

    const flush = () => {
      flushing = undefined
      patchVms(projectId, events)
      events = []
    }
    const open = () => {
      source = new EventSource(apiBase + fillPath(routeOf('event.stream').path, { projectId }), {
        withCredentials: true,
      })
      source.addEventListener('open', () => {
        // What happened while the stream was down is not sent again.
        if (missed) void queryClient.invalidateQueries()
        missed = false
      })
      source.addEventListener('vm', ({ data }: MessageEvent<string>) => {
        // The server parsed it by the contract's schema before it left.
        events.push(JSON.parse(data) as VmEvent)
        flushing ??= setTimeout(flush, collectMs)
      })
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
      clearTimeout(flushing)
    }
  }, [projectId])
}
