import {
  type CatalogueTemplate,
  type ImageFound,
  isBootImageUrl,
  keptText,
  type Me,
  mayChangeTemplate,
  mayDeleteTemplate,
  type Template,
  type TemplateCreate,
  type TemplateStartScript,
  templateTexts,
  wholeGi,
} from '@slipway/contract'
import { entry, type Told, wish } from '../activity/entry.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { FairQueue } from '../lib/fair-queue.ts'
import { newId } from '../lib/id.ts'
import { Problem, refuse, require409 } from '../lib/problem.ts'
import type { StartScriptService } from '../start-script/start-script.service.ts'
import type { StoredTemplate, TemplateRepo, WholeTemplate } from './template.repo.ts'

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
  | { state: 'ready'; rootBytes?: number }
  | { state: 'absent' }
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
  /** The places for looks at images elsewhere, by account. */
  imageChecks: Pick<FairQueue, 'run'>
  startScripts: Pick<StartScriptService, 'requireFitting'>
  /** In the order of the catalogue. */
  builtIn: readonly BuiltInTemplate[]
  /** Whether the settings say who is an administrator; else everybody may add templates (catalogue G-073). */
  hasAdmins: boolean
  /** For how many days deleted templates are kept; 0: not at all. */
  binDays: number
  clock: Clock
}

export function makeTemplateService(dependencies: Dependencies) {
  const { repo, images, imageChecks, startScripts, builtIn, hasAdmins, binDays, clock } = dependencies
  const requireAdmin = ({ is_admin }: Me) => {
    if (hasAdmins && !is_admin) throw new Problem(403, templateTexts.adminOnly)
  }

  const told = (user: Me, { id, name }: { id: string; name: string }, what: Told) =>
    entry(clock.now(), { type: 'template', id, name, accountId: user.id }, what)

  /** For what takes a template from everybody: while nobody is named, nobody may. */
  const requireNamedAdmin = ({ is_admin }: Me) => {
    if (!is_admin) throw new Problem(403, templateTexts.adminOnly)
  }

  const isBuiltIn = (id: string): boolean => builtIn.some((one) => one.id === id)

  function present<T>(template: T | null): T {
    if (template === null) throw new Problem(404, templateTexts.notFound)
    return template
  }

  async function show({ imageId, retiredAt: _, ...template }: StoredTemplate): Promise<Template> {
    return { ...template, image: wireImage(await images.lookAtImage(imageId)) }
  }

  /** What VMs would boot; a boot image is looked at where it is. */
  async function lookAt(user: Me, url: string | null): Promise<ImageFound> {
    if (url === null || !isBootImageUrl(url)) {
      return { boots: 'built-in', format: null, download_bytes: null, disk_bytes: null }
    }
    const found = await imageChecks.run(user.id, () => images.checkImage(url))
    if ('refused' in found) throw refuse('image_url', found.refused)
    const { format, downloadBytes, virtualBytes } = found
    return { boots: 'address', format, download_bytes: downloadBytes, disk_bytes: virtualBytes }
  }

  const requireFitting = (script: string, imageId: string): void =>
    startScripts.requireFitting(script, imageId, templateTexts.scriptWithoutCloudInit)

  return {
    async list(): Promise<Template[]> {
      return Promise.all((await repo.list()).filter(({ retiredAt }) => retiredAt === null).map(show))
    },

    /** One that is offered, for what is created now. */
    async find(id: string): Promise<WholeTemplate | null> {
      const template = await repo.findWhole(id)
      return template?.retiredAt === null ? template : null
    },

    /** How large the root disks are that are made of an image; null where that is not known yet. */
    async rootBytesOf(imageId: string): Promise<number | null> {
      // Whoever cannot say now is no reason to refuse anything.
      const look = await images.lookAtImage(imageId).catch(() => null)
      return look?.state === 'ready' ? (look.rootBytes ?? null) : null
    },

    async listAll(user: Me): Promise<CatalogueTemplate[]> {
      requireNamedAdmin(user)
      const [templates, uses] = await Promise.all([repo.list(), repo.uses()])
      return Promise.all(
        templates.map(async (template) => ({
          ...(await show(template)),
          retired_at: template.retiredAt,
          built_in: isBuiltIn(template.id),
          ...(uses.get(template.id) ?? { vms: 0, groups: 0 }),
        })),
      )
    },

    async startScript(id: string): Promise<TemplateStartScript> {
      return { script: present(await repo.findWhole(id)).startScript }
    },

    /** Changes a template for what is created from now on. */
    async update(user: Me, id: string, { start_script, ...input }: TemplateCreate): Promise<Template> {
      requireNamedAdmin(user)
      require409(mayChangeTemplate({ built_in: isBuiltIn(id) }))
      const before = present(await repo.find(id))
      const isOther = before.image_url !== input.image_url
      const boots = isOther ? (await lookAt(user, input.image_url)).boots : null
      const set = { ...input, image_id: isOther ? imageOf(input, boots) : before.imageId }
      const changed = wish(user.id, 'template.update', `Changed template ${input.name}`)
      const template = present(
        await repo.change(
          id,
          ({ startScript }) => {
            const script = start_script === undefined ? startScript : start_script
            if (script !== null) requireFitting(script, set.image_id)
          },
          set,
          (one) => told(user, one, changed),
          start_script,
        ),
      )
      if (boots === 'address') await images.image(template.imageId, true)
      return show(template)
    },

    /** It is not offered any more; what was created from it goes on. */
    async retire(user: Me, id: string): Promise<Template> {
      requireNamedAdmin(user)
      return show(
        present(
          await repo.change(
            id,
            ({ retiredAt }) => require409(retiredAt === null || templateTexts.alreadyRetired),
            { retired_at: isoTime(clock.now()) },
            (one) => told(user, one, wish(user.id, 'template.retire', `Retired template ${one.name}`)),
          ),
        ),
      )
    },

    async offer(user: Me, id: string): Promise<Template> {
      requireNamedAdmin(user)
      return show(
        present(
          await repo.change(
            id,
            ({ retiredAt }) => require409(retiredAt !== null || templateTexts.alreadyOffered),
            { retired_at: null },
            (one) => told(user, one, wish(user.id, 'template.offer', `Offered template ${one.name} again`)),
          ),
        ),
      )
    },

    /** Goes to the bin, unless it is deleted for good. */
    async delete(user: Me, id: string, forGood = false): Promise<void> {
      requireNamedAdmin(user)
      const isKept = !forGood && binDays > 0
      const why = isKept ? keptText(binDays) : null
      const isThere = await repo.remove(
        id,
        (_, uses) => require409(mayDeleteTemplate({ built_in: isBuiltIn(id), ...uses })),
        (one) => told(user, one, wish(user.id, 'template.delete', `Deleted template ${one.name}`, why)),
        isKept ? { deletedBy: user.id, days: binDays, nowMs: clock.now() } : null,
      )
      if (!isThere) throw new Problem(404, templateTexts.notFound)
    },

    async checkImage(user: Me, url: string | null): Promise<ImageFound> {
      requireAdmin(user)
      return lookAt(user, url)
    },

    /** Adds a template. Its VMs boot the image at its address, or the built-in Debian (catalogue G-069). */
    async create(user: Me, { start_script = null, ...input }: TemplateCreate): Promise<Template> {
      requireAdmin(user)
      const { boots } = await lookAt(user, input.image_url)
      const row = {
        ...input,
        id: newId(clock.now()),
        image_id: imageOf(input, boots),
        created_at: isoTime(clock.now()),
        retired_at: null,
      }
      if (start_script !== null) requireFitting(start_script, row.image_id)
      const added = wish(user.id, 'template.create', `Added template ${row.name}`)
      const template = await repo.insert(row, start_script, told(user, row, added))
      // What is wrong with it should show on its card before somebody waits for a VM.
      if (boots === 'address') await images.image(template.imageId, true)
      return show(template)
    },

    /** Starts making the image ready, or tries again. */
    async prepare(user: Me, id: string): Promise<Template> {
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
        retired_at: null,
      }))
      await repo.install(rows)
    },
  }
}

const noSize = { root_disk_gb: null }

/** What VMs boot whose template has this image URL. */
const imageOf = ({ image_url }: { image_url: string | null }, boots: ImageFound['boots'] | null): string =>
  boots === 'address' && image_url !== null ? image_url : builtInImage

function wireImage(look: ImageNow): Template['image'] {
  switch (look.state) {
    case 'ready': {
      const root_disk_gb = look.rootBytes === undefined ? null : wholeGi(look.rootBytes)
      return { state: 'ready', progress: null, message: null, root_disk_gb }
    }
    case 'absent':
      return { ...noSize, state: 'absent', progress: null, message: null }
    case 'coming': {
      const progress = look.progress === null ? null : Math.floor(look.progress * 100)
      return { ...noSize, state: 'coming', progress, message: `${look.what}.` }
    }
    case 'unavailable':
      return { ...noSize, state: 'failed', progress: null, message: look.reason }
  }
}
