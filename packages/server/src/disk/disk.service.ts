import type { Disk } from '@slipway/contract'
import type { ProjectService } from '../project/project.service.ts'
import type { DiskRepo } from './disk.repo.ts'

export interface DiskFilter {
  status?: string | undefined
  source?: string | undefined
  vm_id?: string | undefined
}

/** Both vocabularies of the specification are understood (catalogue G-061). */
const listWordOf: Record<string, string> = { empty: 'blank', http: 'image', registry: 'image' }

export type DiskService = ReturnType<typeof makeDiskService>

export function makeDiskService({ repo, projects }: { repo: DiskRepo; projects: ProjectService }) {
  return {
    /** For other services, which have checked whose project it is. */
    ofProject: (projectId: string): Promise<Disk[]> => repo.list(projectId),

    async list(userId: string, projectId: string, filter: DiskFilter): Promise<Disk[]> {
      await projects.own(userId, projectId)
      const status = filter.status?.toLowerCase()
      const word = filter.source?.toLowerCase()
      const source = word && (listWordOf[word] ?? word)
      return (await repo.list(projectId)).filter(
        (disk) =>
          (!status || disk.status === status) &&
          (!source || disk.source === source) &&
          (!filter.vm_id || disk.vm_id === filter.vm_id),
      )
    },
  }
}
