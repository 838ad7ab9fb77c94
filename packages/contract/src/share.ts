import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { GuestPort } from './guest-port.ts'
import { ProjectParams } from './project.ts'
import { quotaRefusal } from './quota.rules.ts'
import { shareAudiences, shareKinds, shareTexts } from './share.rules.ts'
import { Id, Time } from './text.ts'
import { VmParams } from './vm.ts'

const Kind = z.enum(shareKinds).meta({ id: 'ShareKind' })
const Audience = z.enum(shareAudiences, { error: shareTexts.audienceMissing }).meta({ id: 'ShareAudience' })

/** A port of a VM that can be opened from outside. */
export const Share = z.object({
  id: Id,
  project_id: Id,
  vm_id: Id,
  vm_name: z.string(),
  port: z.int(),
  kind: Kind,
  audience: Audience,
  /** When it ends by itself; null: never. */
  expires_at: Time.nullable(),
  created_at: Time,
  /**
   * Where it is: `https://web-shop-3000.apps.example.com/` for `http`, `host:port` for `tcp`. With the audience `link`
   * it holds the secret. What depends on how the console is reached is missing: `:8101/` for `http` and `:8301` for
   * `tcp` are ports of the host that the console is at. Empty while the operator has switched that kind off.
   */
  address: z.string(),
  /** Visits so far: of `http` each page that was opened, of `tcp` each connection. */
  visits: z.int(),
  last_visit_at: Time.nullable(),
})
export type Share = z.infer<typeof Share>

const expiry = z.iso.datetime({ error: shareTexts.expiryPast }).nullable().default(null)

export const ShareCreate = z.object({
  port: GuestPort,
  kind: Kind.default('http'),
  audience: Audience.default('project'),
  expires_at: expiry,
})
export type ShareCreate = z.input<typeof ShareCreate>

export const ShareUpdate = z.object({
  audience: Audience,
  expires_at: expiry,
})
export type ShareUpdate = z.input<typeof ShareUpdate>

/** Ports that programs in a VM listen on; null where the guest does not report them. */
export const ListeningPorts = z.object({ ports: z.array(z.int()).nullable() })

export const ShareParams = ProjectParams.extend({ shareId: Id })

const notFound = [messages.projectNotFound, shareTexts.notFound]

export const shareApi = {
  list: endpoint('share.list', {
    summary: 'All shared ports of a project, oldest first',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: z.array(Share),
    errors: { 404: [messages.projectNotFound] },
  }),
  create: endpoint('share.create', {
    summary: 'Share a port of a VM',
    auth: 'session',
    status: 201,
    idempotent: true,
    params: VmParams,
    body: ShareCreate,
    response: Share,
    errors: {
      400: [
        shareTexts.portMissing,
        shareTexts.audienceMissing,
        shareTexts.expiryPast,
        shareTexts.tcpAudience,
      ],
      404: [messages.projectNotFound, messages.vmNotFound],
      409: [shareTexts.alreadyShared, shareTexts.tooMany, shareTexts.noPortLeft, quotaRefusal],
      422: ['A sentence of `cannot.ports`', shareTexts.httpOff, shareTexts.tcpOff],
    },
  }),
  update: endpoint('share.update', {
    summary: 'Change who may open a shared port, and until when',
    auth: 'session',
    status: 200,
    params: ShareParams,
    body: ShareUpdate,
    response: Share,
    errors: {
      400: [shareTexts.audienceMissing, shareTexts.expiryPast, shareTexts.tcpAudience],
      404: notFound,
    },
  }),
  delete: endpoint('share.delete', {
    summary: 'Stop sharing a port; connections through it end at once',
    auth: 'session',
    status: 204,
    params: ShareParams,
    errors: { 404: notFound },
  }),
  ports: endpoint('share.ports', {
    summary: 'Ports that programs in a running VM listen on; null where the guest does not tell',
    auth: 'session',
    status: 200,
    params: VmParams,
    response: ListeningPorts,
    errors: { 404: [messages.projectNotFound, messages.vmNotFound] },
  }),
}
