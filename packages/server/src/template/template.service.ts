import type { Template } from '@slipway/contract'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { BootTemplate, TemplateRepo } from './template.repo.ts'

/** What every installation offers. A template is listed here only when its image really has what it says. */
const builtIn = [
  {
    id: 'starter',
    name: 'Starter Linux',
    description:
      'A small Linux that answers SSH within seconds: a Debian kernel with BusyBox and an SSH server. Good for trying things out.',
    image_url: null,
    image_id: 'starter',
    default_cpu: 1,
    default_memory_mb: 256,
  },
]

export type TemplateService = ReturnType<typeof makeTemplateService>

export function makeTemplateService({ repo, clock }: { repo: TemplateRepo; clock: Clock }) {
  return {
    list: (): Promise<Template[]> => repo.list(),
    find: (id: string): Promise<BootTemplate | null> => repo.find(id),
    /** Makes sure the built-in templates are in the catalogue. */
    async install(): Promise<void> {
      await repo.insertMissing(builtIn.map((template) => ({ ...template, created_at: isoTime(clock.now()) })))
    },
  }
}
