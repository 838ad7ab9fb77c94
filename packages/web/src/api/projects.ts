import type { Project, ProjectCreate } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { useMatch } from 'react-router'
import { type Creation, call, said } from './client.ts'
import { takeEvents } from './live-events.ts'
import { inOrder, patchList } from './live-list.ts'
import type { Said } from './order.ts'
import { keyOf, order, queryClient } from './query.ts'
import { useSession } from './session.ts'

const listKey = keyOf('project.list')

/**
 * The user's projects, oldest first. Asks only while somebody is signed in. Without `retryOnMount`, a list that could
 * not be loaded is left to those who show it.
 */
export function useProjects({ retryOnMount = true } = {}) {
  const { state, user } = useSession()
  // With an account that is being deleted nothing can be listed.
  const isIn = state === 'in' && !user.delete_at
  const query = useQuery({
    queryKey: listKey,
    queryFn: async ({ signal }) =>
      inOrder(listKey, 'project', await call('project.list', { signal }), () => true),
    enabled: isIn,
    retryOnMount,
  })
  return {
    projects: query.data ?? [],
    loading: state === 'checking' || (isIn && query.isPending),
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
  }
}

/** Brings in what was said of projects. */
export const patchProjects = (all: readonly Said<Project>[]): void =>
  patchList(listKey, order.hear('project', all))

takeEvents('project', (_, all) => {
  patchProjects(all)
  // One may have gone there, or come from there.
  void queryClient.invalidateQueries({ queryKey: keyOf('projectBin.list') })
})

/** The projects that are known right now. */
export const projectsNow = (): Project[] => queryClient.getQueryData<Project[]>(listKey) ?? []

/**
 * Which of the projects is selected: the one of the URL, else the one chosen last, else the first.
 * Null when there is none.
 */
export function selectedOf(
  projects: readonly Project[],
  urlId: string | undefined,
  storedId: string | null,
): Project | null {
  const byId = (id: string | null | undefined) => projects.find((project) => project.id === id)
  return byId(urlId) ?? byId(storedId) ?? projects[0] ?? null
}

const storageKey = (userId: string) => `slipway.project.${userId}`
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

// Storage may be forbidden; the choice then lives as long as the page.
const memory = new Map<string, string>()

function readStored(userId: string): string | null {
  try {
    return memory.get(userId) ?? localStorage.getItem(storageKey(userId))
  } catch {
    return null
  }
}

function store(userId: string, projectId: string): void {
  if (readStored(userId) === projectId) return
  memory.set(userId, projectId)
  try {
    localStorage.setItem(storageKey(userId), projectId)
  } catch {
    // See above.
  }
  for (const listener of listeners) listener()
}

/** The project the user works in, kept over reloads. A URL with a project selects that one. */
export function useSelectedProject(options: Parameters<typeof useProjects>[0] = {}) {
  const { user } = useSession()
  const { projects, loading, error, retry } = useProjects(options)
  const urlId = useMatch('/projects/:projectId/*')?.params.projectId
  const storedId = useSyncExternalStore(subscribe, () => (user ? readStored(user.id) : null))
  const known = projects.some((project) => project.id === urlId)

  useEffect(() => {
    if (user && urlId && known) store(user.id, urlId)
  }, [user, urlId, known])

  return {
    project: selectedOf(projects, urlId, storedId),
    projects,
    loading,
    error,
    retry,
    select: (projectId: string) => {
      if (user) store(user.id, projectId)
    },
  }
}

/** Creates a project, adds it at the end of the list and selects it. */
export function useCreateProject() {
  const { user } = useSession()
  return useMutation({
    mutationFn: (creation: Creation<ProjectCreateInput>) => call('project.create', creation),
    onSuccess: (project) => {
      // Also before there was any list: the page that is shown next needs it.
      queryClient.setQueryData<Project[]>(listKey, (old) => old ?? [])
      patchProjects([said(project)])
      if (user) store(user.id, project.id)
    },
  })
}
type ProjectCreateInput = Pick<ProjectCreate, 'name'> & Partial<ProjectCreate>

export interface ProjectDeletion {
  projectId: string
  /** Its VMs go with it. */
  withVms: boolean
  forGood: boolean
}

/** Deletes a project. When it was the selected one, the first of the others takes its place. */
export function useDeleteProject() {
  return useMutation({
    mutationFn: ({ projectId, withVms, forGood }: ProjectDeletion) =>
      call('project.delete', {
        params: { projectId },
        query: { ...(withVms && { with_vms: 'true' }), ...(forGood && { for_good: 'true' }) },
      }),
    onSuccess: (_, { projectId }) => {
      patchProjects([{ object: { id: projectId, project_id: projectId, deleted: true }, at: null }])
    },
  })
}
