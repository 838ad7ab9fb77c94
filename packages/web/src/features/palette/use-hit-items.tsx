import type { SearchHit } from '@slipway/contract'
import { type ReactNode, useMemo } from 'react'
import { useNavigate } from 'react-router'
import { useSelectedProject } from '../../api/projects.ts'
import { useSession } from '../../api/session.ts'
import { objectPaths, paths } from '../../paths.ts'
import { objectIcons } from '../../shell/object-icons.ts'
import type { PaletteItem } from './palette-items.ts'
import { keepPick } from './recent-picks.ts'

/** What stands over the results of a kind. */
export const kindWords: Record<SearchHit['kind'], string> = {
  project: 'Projects',
  vm: 'VMs',
  vm_pool: 'VM pools',
  vm_set: 'VM sets',
  disk: 'Disks',
  template: 'Templates',
}

/** What stands before a result. */
function iconOf(kind: SearchHit['kind']): ReactNode {
  const Icon = objectIcons[kind]
  return <Icon size={16} strokeWidth={1.6} aria-hidden />
}

function pathOf({ kind, id, project_id }: SearchHit): string {
  if (kind === 'project') return paths.vms(id)
  if (kind === 'template') return paths.create(id)
  return objectPaths[kind](project_id ?? '', id)
}

/** A search result as an item: choosing it goes there and remembers it as recent. */
export function useHitItems() {
  const navigate = useNavigate()
  const { user } = useSession()
  const { project } = useSelectedProject()
  const userId = user?.id
  const projectId = project?.id
  return useMemo(
    () =>
      (hit: SearchHit, from: 'recent' | 'hit'): PaletteItem => ({
        key: `${from} ${hit.kind} ${hit.id}`,
        isResult: from === 'hit',
        label: hit.name,
        detail:
          hit.kind !== 'project' && hit.project_id !== projectId
            ? (hit.project_name ?? undefined)
            : undefined,
        icon: iconOf(hit.kind),
        status: hit.status ?? undefined,
        run: () => {
          if (userId) keepPick(userId, hit)
          void navigate(pathOf(hit))
        },
      }),
    [navigate, userId, projectId],
  )
}
