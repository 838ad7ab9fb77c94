import {
  type ImageFound,
  isBootImageUrl,
  type Template,
  type TemplateCreate,
  templateTexts,
  type User,
} from '@slipway/contract'
import { type Engine, EngineError } from '../engine/engine.ts'
import { BASE_IMAGE } from '../image/image-store.ts'
import type { Recipe } from '../image/recipe.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem, refuse } from '../lib/problem.ts'
import type { StoredTemplate, TemplateRepo } from './template.repo.ts'

export type TemplateService = ReturnType<typeof makeTemplateService>

interface Dependencies {
  repo: TemplateRepo
  engine: Pick<Engine, 'image' | 'lookAtImage' | 'checkImage'>
  /** What every installation offers. */
  recipes: readonly Recipe[]
  /** E-mail addresses in lower case of who may add templates; empty lets everybody (catalogue G-073). */
  admins: readonly string[]
  clock: Clock
}

export function makeTemplateService({ repo, engine, recipes, admins, clock }: Dependencies) {
  const requireAdmin = ({ email }: User) => {
    if (admins.length > 0 && !admins.includes(email)) throw new Problem(403, templateTexts.adminOnly)
  }

  async function show({ imageId, ...template }: StoredTemplate): Promise<Template> {
    return { ...template, image: wireImage(await engine.lookAtImage(imageId)) }
  }

  /** What VMs would boot; a boot image is looked at where it is. */
  async function lookAt(url: string | null): Promise<ImageFound> {
    if (url === null || !isBootImageUrl(url)) {
      return { boots: 'built-in', format: null, download_bytes: null, disk_bytes: null }
    }
    try {
      const { format, downloadBytes, virtualBytes } = await engine.checkImage(url)
      return { boots: 'address', format, download_bytes: downloadBytes, disk_bytes: virtualBytes }
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'source-refused') throw error
      throw refuse('image_url', error.message)
    }
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
      const template = await repo.insert({
        ...input,
        id: newId(clock.now()),
        image_id: boots === 'address' && input.image_url !== null ? input.image_url : BASE_IMAGE,
        created_at: isoTime(clock.now()),
      })
      // What is wrong with it should show on its card before somebody waits for a VM.
      if (boots === 'address') await engine.image(template.imageId, true)
      return show(template)
    },

    /** Starts making the image ready, or tries again. */
    async prepare(id: string): Promise<Template> {
      const template = await repo.find(id)
      if (!template) throw new Problem(404, templateTexts.notFound)
      await engine.image(template.imageId, true)
      return show(template)
    },

    /** Makes sure the built-in templates are in the catalogue, in the order of the recipes. */
    async install(): Promise<void> {
      const rows = recipes.flatMap((recipe, place) => {
        if (!recipe.template) return []
        const url = recipe.kind === 'foreign' ? recipe.url : null
        return {
          id: recipe.id,
          name: recipe.name,
          description: recipe.template.description,
          image_url: url,
          image_id: url ?? recipe.id,
          default_cpu: recipe.template.cpu,
          default_memory_mb: recipe.template.memoryMb,
          // The catalogue is in the order of time.
          created_at: isoTime(clock.now() + place),
        }
      })
      await repo.install(rows)
    },
  }
}

function wireImage(look: Awaited<ReturnType<Engine['lookAtImage']>>): Template['image'] {
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
