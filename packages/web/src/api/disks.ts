import { useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { asList, keyOf } from './query.ts'

/** The data disks of a project. A failure is an empty list. */
export function useDisks(projectId: string | undefined) {
  const query = useQuery({
    queryKey: keyOf('disk.list', { projectId: projectId ?? '' }),
    queryFn: async ({ signal }) =>
      asList(await call('disk.list', { params: { projectId: projectId ?? '' }, signal })),
    enabled: projectId !== undefined,
  })
  return { disks: query.data ?? [], loading: projectId !== undefined && query.isPending }
}
