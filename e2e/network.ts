import { expect, type Page, type Request } from '@playwright/test'
import {
  type Disk,
  type DiskSnapshot,
  type Endpoint,
  eventApi,
  type Template,
  type VmPool,
  type VmSet,
  type VmSnapshot,
} from '@slipway/contract'

/** What the network does to a page: answers in the server's place, answers that do not come, a log of the calls. */

const isCallOf = ({ method, path }: Endpoint) => {
  const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
  return (request: Request) => request.method() === method && pattern.test(new URL(request.url()).pathname)
}

/**
 * Answers an endpoint in the server's place. `{}` is an answer without message, and no status is no answer. `end`
 * waits for the first such answer: on a slow machine a call is still on its way when its failure seems to be shown,
 * because the failure before it reads the same, and the call would then do to the server what it was to be kept from.
 */
export async function answer(
  page: Page,
  endpoint: Endpoint,
  status: number | null,
  body: unknown = {},
): Promise<{ end: () => Promise<void> }> {
  const isCall = isCallOf(endpoint)
  const isApi = (url: URL) => url.pathname.startsWith('/api/')
  // A call that can be repeated is, when no answer came.
  const tries = status === null && endpoint.idempotent ? 2 : 1
  let answers = 0
  const handle: Parameters<Page['route']>[1] = async (route) => {
    if (!isCall(route.request())) return route.fallback()
    await (status === null ? route.abort() : route.fulfill({ status, json: body }))
    answers++
  }
  await page.route(isApi, handle)
  return {
    end: async () => {
      await expect.poll(() => answers, `answers of ${endpoint.id}`).toBeGreaterThanOrEqual(tries)
      await page.unroute(isApi, handle)
    },
  }
}

/** Makes a page open an event stream of its own: what the worker of all tabs asks for, a test cannot answer. */
export const withStreamOfItsOwn = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    Reflect.deleteProperty(window, 'SharedWorker')
  })

/** Keeps a page from having an event stream. */
export async function withoutStream(page: Page): Promise<void> {
  await withStreamOfItsOwn(page)
  await answer(page, eventApi.streamAll, null)
}

/** Keeps the calls of an endpoint waiting until they are let go. */
export async function hold(page: Page, endpoint: Endpoint): Promise<{ letGo: () => void }> {
  const isCall = isCallOf(endpoint)
  const { promise: released, resolve: letGo } = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname.startsWith('/api/'),
    async (route) => {
      if (isCall(route.request())) await released
      await route.fallback()
    },
  )
  return { letGo }
}

/** The calls of an endpoint that the page makes from now on; the list grows. */
export function callsOf(page: Page, endpoint: Endpoint): Request[] {
  const calls: Request[] = []
  const isCall = isCallOf(endpoint)
  page.on('request', (request) => {
    if (isCall(request)) calls.push(request)
  })
  return calls
}

const madeAt = '2026-11-20T10:00:00.000Z'

/** A template as the server sends it. */
export const makeTemplate = (name: string, more: Partial<Template> = {}): Template => ({
  id: name,
  name,
  description: `All about ${name}`,
  image_url: null,
  default_cpu: 2,
  default_memory_mb: 2048,
  created_at: madeAt,
  image: { state: 'ready', progress: null, message: null, root_disk_gb: 20 },
  has_start_script: false,
  ...more,
})

/** The image of a template in some state. */
export const imageIn = (
  state: Template['image']['state'],
  more: Partial<Template['image']> = {},
): Pick<Template, 'image'> => ({
  image: { state, progress: null, message: null, root_disk_gb: null, ...more },
})

/** A disk as the server sends it. */
export const makeDisk = (
  name: string,
  status: Disk['status'] = 'available',
  more: Partial<Disk> = {},
): Disk => ({
  id: name,
  project_id: 'p',
  name,
  description: '',
  status,
  status_message: null,
  status_since: madeAt,
  progress: null,
  size: '10Gi',
  size_gb: 10,
  next_size_gb: null,
  disk_type: 'standard',
  source: 'blank',
  image_url: null,
  image_sha256: null,
  vm_id: null,
  vm_name: null,
  deleted_with_vm: false,
  created_at: madeAt,
  ...more,
})

const keptUntil = '2026-12-20T10:00:00.000Z'

/** A VM snapshot as the server sends it. */
export const makeVmSnapshot = (name: string, more: Partial<VmSnapshot> = {}): VmSnapshot => ({
  id: name,
  project_id: 'p',
  name,
  description: '',
  status: 'ready',
  status_message: null,
  status_since: madeAt,
  progress: null,
  vm_id: 'v',
  vm_name: 'engine',
  snapshot_type: 'disk',
  has_memory: false,
  consistency: 'crash',
  disks: [],
  automatic: false,
  scheduled: null,
  size_mb: 512,
  retention_days: 30,
  expires_at: keptUntil,
  metadata: null,
  created_at: madeAt,
  ...more,
})

/** A disk snapshot as the server sends it. */
export const makeDiskSnapshot = (name: string, more: Partial<DiskSnapshot> = {}): DiskSnapshot => ({
  id: name,
  project_id: 'p',
  name,
  description: '',
  disk_id: 'd',
  disk_name: 'ledger',
  size: '10Gi',
  stored_mb: 512,
  status: 'ready',
  status_message: null,
  status_since: madeAt,
  progress: null,
  snapshot_type: 'full',
  parent_id: null,
  consistency: 'crash',
  scheduled: null,
  retention_days: 30,
  expires_at: keptUntil,
  created_at: madeAt,
  ...more,
})

const group = (name: string) => ({
  id: name,
  project_id: 'p',
  name,
  description: '',
  status_message: null,
  status_since: madeAt,
  template_id: 'starter',
  template_name: 'Starter Linux',
  ssh_key_id: 'k',
  ssh_key_name: 'Laptop',
  snapshot_id: null,
  persistent: true,
  disks: [],
  cpu: 1,
  memory_mb: 512,
  root_disk_gb: null,
  roll_out: { revision: 1, state: 'none' as const, message: null, renewed_vms: 2, total_vms: 2 },
  created_at: madeAt,
})

/** A VM pool as the server sends it. */
export const makeVmPool = (name: string, more: Partial<VmPool> = {}): VmPool => ({
  ...group(name),
  status: 'active',
  current_size: 1,
  desired_size: 1,
  min_size: 1,
  max_size: 3,
  auto_scaling: true,
  ...more,
})

/** A VM set as the server sends it. */
export const makeVmSet = (name: string, more: Partial<VmSet> = {}): VmSet => ({
  ...group(name),
  status: 'active',
  replicas: 2,
  vm_stats: { total_vms: 2, running_vms: 2 },
  ...more,
})
