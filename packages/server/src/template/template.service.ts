import {
  type ImageFound,
  isBootImageUrl,
  type Template,
  type TemplateCreate,
  templateTexts,
  type User,
} from '@slipway/contract'
import { entry, type Told, wish } from '../activity/entry.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem, refuse } from '../lib/problem.ts'
import type { StoredTemplate, TemplateRepo } from './template.repo.ts'

export type TemplateService = ReturnType<typeof makeTemplateService>

/** Boot images, by the names of recipes and by addresses. */
export interface BootImages {
  /** Starts making one ready when it is not, also when that failed a moment ago. */
  image(imageId: string, again: boolean): Promise<unknown>
  lookAtImage(imageId: string): Promise<ImageNow>
  checkImage(
    address: string,
  ): Promise<
    { refused: string } | { format: string; downloadBytes: number | null; virtualBytes: number | null }
  >
}

type ImageNow =
  | { state: 'ready' | 'absent' }
  | { state: 'coming'; progress: number | null; what: string }
  | { state: 'unavailable'; reason: string }

/** A template that every installation offers. */
export interface BuiltInTemplate {
  id: string
  name: string
  description: string
  cpu: number
  memoryMb: number
  /** Where its boot image comes from; null when that is built here, under the id of the template. */
  url: string | null
}

/** What VMs boot whose template names no boot image: a whole Debian. */
const builtInImage = 'base'

interface Dependencies {
  repo: TemplateRepo
  images: BootImages
  /** In the order of the catalogue. */
  builtIn: readonly BuiltInTemplate[]
  /** E-mail addresses in lower case of who may add templates; empty lets everybody (catalogue G-073). */
  admins: readonly string[]
  clock: Clock
}

export function makeTemplateService({ repo, images, builtIn, admins, clock }: Dependencies) {
  const requireAdmin = ({ email }: User) => {
    if (admins.length > 0 && !admins.includes(email)) throw new Problem(403, templateTexts.adminOnly)
  }

  const told = (user: User, { id, name }: { id: string; name: string }, what: Told) =>
    entry(clock.now(), { type: 'template', id, name, accountId: user.id }, what)

  async function show({ imageId, ...template }: StoredTemplate): Promise<Template> {
    return { ...template, image: wireImage(await images.lookAtImage(imageId)) }
  }

  /** What VMs would boot; a boot image is looked at where it is. */
  async function lookAt(url: string | null): Promise<ImageFound> {
    if (url === null || !isBootImageUrl(url)) {
      return { boots: 'built-in', format: null, download_bytes: null, disk_bytes: null }
    }
    const found = await images.checkImage(url)
    if ('refused' in found) throw refuse('image_url', found.refused)
    const { format, downloadBytes, virtualBytes } = found
    return { boots: 'address', format, download_bytes: downloadBytes, disk_bytes: virtualBytes }
  }

  return {
    async list(): Promise<Template[]> {
      return Promise.all((await repo.list()).map(show))
    },
    find: (id: string): Promise<StoredTemplate | null> => repo.find(id),

    async checkImage(user: User, url: string | null): Promise<ImageFound> {
      requireAdmin(user)
      return lookAt(url)
    },

    /** Adds a template. Its VMs boot the image at its address, or the built-in Debian (catalogue G-069). */
    async create(user: User, input: TemplateCreate): Promise<Template> {
      requireAdmin(user)
      const { boots } = await lookAt(input.image_url)
      const row = {
        ...input,
        id: newId(clock.now()),
        image_id: boots === 'address' && input.image_url !== null ? input.image_url : builtInImage,
        created_at: isoTime(clock.now()),
      }
      const added = wish(user.id, 'template.create', `Added template ${row.name}`)
      const template = await repo.insert(row, told(user, row, added))
      // What is wrong with it should show on its card before somebody waits for a VM.
      if (boots === 'address') await images.image(template.imageId, true)
      return show(template)
    },

    /** Starts making the image ready, or tries again. */
    async prepare(user: User, id: string): Promise<Template> {
      const template = await repo.find(id)
      if (!template) throw new Problem(404, templateTexts.notFound)
      const message = `Prepare boot image of template ${template.name} requested`
      await repo.recordOnly(told(user, template, wish(user.id, 'template.prepare', message)))
      await images.image(template.imageId, true)
      return show(template)
    },

    /** Makes sure the built-in templates are in the catalogue, in their order. */
    async install(): Promise<void> {
      const rows = builtIn.map(({ cpu, memoryMb, url, ...template }, place) => ({
        ...template,
        image_url: url,
        image_id: url ?? template.id,
        default_cpu: cpu,
        default_memory_mb: memoryMb,
        // The catalogue is in the order of time.
        created_at: isoTime(clock.now() + place),
      }))
      await repo.install(rows)
    },
  }
}

function wireImage(look: ImageNow): Template['image'] {
  switch (look.state) {
    case 'ready':
    case 'absent':
      return { state: look.state, progress: null, message: null }
    case 'coming': {
      const progress = look.progress === null ? null : Math.floor(look.progress * 100)
      return { state: 'coming', progress, message: `${look.what}.` }
    }
    case 'unavailable':
      return { state: 'failed', progress: null, message: look.reason }
  }
}
