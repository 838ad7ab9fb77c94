import { type Template, type TemplateCreate, templateTexts, type User } from '@slipway/contract'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import type { BootTemplate, TemplateRepo } from './template.repo.ts'

const starterImage = 'starter'

/** What every installation offers. A template is listed here only when its image really has what it says. */
const builtIn = [
  {
    id: 'starter',
    name: 'Starter Linux',
    description:
      'A small Linux that answers SSH within seconds: a Debian kernel with BusyBox and an SSH server. Good for trying things out.',
    image_url: null,
    image_id: starterImage,
    default_cpu: 1,
    default_memory_mb: 256,
  },
]

export type TemplateService = ReturnType<typeof makeTemplateService>

interface Dependencies {
  repo: TemplateRepo
  /** E-mail addresses in lower case of who may add templates; empty lets everybody (catalogue G-073). */
  admins: readonly string[]
  clock: Clock
}

export function makeTemplateService({ repo, admins, clock }: Dependencies) {
  return {
    list: (): Promise<Template[]> => repo.list(),
    find: (id: string): Promise<BootTemplate | null> => repo.find(id),

    /** Adds a template; its VMs boot the starter image. */
    async create(user: User, input: TemplateCreate): Promise<Template> {
      if (admins.length > 0 && !admins.includes(user.email)) throw new Problem(403, templateTexts.adminOnly)
      return repo.insert({
        ...input,
        id: newId(clock.now()),
        image_id: starterImage,
        created_at: isoTime(clock.now()),
      })
    },

    /** Makes sure the built-in templates are in the catalogue. */
    async install(): Promise<void> {
      await repo.insertMissing(builtIn.map((template) => ({ ...template, created_at: isoTime(clock.now()) })))
    },
  }
}
