import { fillPath, routeOf, vmCan } from '@slipway/contract'
import { useEffect, useSyncExternalStore } from 'react'
import { ApiError, apiBase, call, said } from '../../api/client.ts'
import { patchVms, readVm, refreshVm } from '../../api/vms.ts'
import { toast } from '../../ui/toast.tsx'
import { ConsoleLink, type LinkView, type Reason } from './console-link.ts'

interface Params {
  projectId: string
  vmId: string
}

/** The address of a socket; the scheme of the page with `ws` in place of `http`. */
export function socketUrl(id: 'vm.console' | 'vm.screen', params: Params, from?: number): string {
  const url = new URL(apiBase + fillPath(routeOf(id).path, { ...params }), window.location.href)
  url.protocol = url.protocol.replace('http', 'ws')
  if (from !== undefined) url.searchParams.set('from', String(from))
  return url.href
}

/** Browsers do not say why a socket was refused; the VM itself does. */
export async function reasonOf({ projectId, vmId }: Params): Promise<Reason> {
  try {
    const answer = await call('vm.get', { params: { projectId, vmId } })
    const vm = readVm(answer)
    patchVms(projectId, [said(vm, answer)])
    return vmCan.console(vm) === true ? 'open' : 'off'
  } catch (error) {
    const status = error instanceof ApiError ? error.status : null
    if (status === 404) refreshVm(projectId, vmId)
    return status === 404 ? 'gone' : status === 401 ? 'refused' : 'unknown'
  }
}

/** Where a browser gets what the console printed, as a file. */
export const logUrl = (params: Params): string =>
  apiBase + fillPath(routeOf('vm.consoleLog').path, { ...params })

/** What a VM that is off printed last; nothing when that cannot be had. */
async function showLog(link: ConsoleLink, params: Params): Promise<void> {
  try {
    const answer = await fetch(logUrl(params), { credentials: 'include' })
    if (answer.ok) link.keep(new Uint8Array(await answer.arrayBuffer()))
  } catch {
    // The notice says what is the matter.
  }
}

const links = new Map<string, { link: ConsoleLink; users: number; closing: ReturnType<typeof setTimeout> }>()
/** A line that nobody took in this time is closed: a page that asked for it did not come to be shown. */
const unusedMs = 30_000
/** The line to the console of a VM. Opened before the page is drawn, so that its text is there when it is. */
export function linkOf(params: Params): ConsoleLink {
  const key = `${params.projectId} ${params.vmId}`
  const known = links.get(key)
  if (known) return known.link
  const link = new ConsoleLink({
    open: (from) => new WebSocket(socketUrl('vm.console', params, from)),
    look: () => reasonOf(params),
    onLost: (bytes) =>
      toast.warning(`The line broke: ${bytes} bytes of what was typed or pasted did not arrive.`),
  })
  links.set(key, { link, users: 0, closing: setTimeout(() => forget(key), unusedMs) })
  return link
}

function forget(key: string): void {
  links.get(key)?.link.close()
  links.delete(key)
}

/** Keeps the line to a console for as long as the page is shown, and brings it back as soon as that may help. */
export function useConsoleLink(params: Params): { link: ConsoleLink; view: LinkView } {
  const { projectId, vmId } = params
  const link = linkOf(params)
  useEffect(() => {
    const key = `${projectId} ${vmId}`
    linkOf({ projectId, vmId })
    const entry = links.get(key)
    if (!entry) return
    entry.users += 1
    clearTimeout(entry.closing)
    const onVisible = () => document.visibilityState === 'visible' && entry.link.hurry()
    window.addEventListener('online', entry.link.renew)
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      window.removeEventListener('online', entry.link.renew)
      document.removeEventListener('visibilitychange', onVisible)
      entry.users -= 1
      // Not at once: React may only draw the page anew.
      if (entry.users === 0) entry.closing = setTimeout(() => forget(key))
    }
  }, [projectId, vmId])
  const view = useSyncExternalStore(link.subscribe, link.view)
  const isOff = view.state === 'off'
  useEffect(() => {
    if (isOff && !link.hasText) void showLog(link, { projectId, vmId })
  }, [link, isOff, projectId, vmId])
  return { link, view }
}
