import { diskApi } from '@slipway/contract'
import { useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { asList, keyOf } from './query.ts'

/** The data disks of a project. A failure is an empty list. */
export function useDisks(projectId: string | undefined) {
  const query = useQuery({
    queryKey: keyOf(diskApi.list, { projectId: projectId ?? '' }),
    queryFn: async ({ signal }) =>
      asList(await call(diskApi.list, { params: { projectId: projectId ?? '' }, signal })),
    enabled: projectId !== undefined,
  })
  return { disks: query.data ?? [], loading: projectId !== undefined && query.isPending }
}
