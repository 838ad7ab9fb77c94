import type { SshKey, SshKeyCreate } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Creation, call } from './client.ts'
import { asList, keyOf, queryClient } from './query.ts'

const listKey = keyOf('sshKey.list')

/** The user's SSH keys, the default key first. */
export function useSshKeys() {
  const query = useQuery({
    queryKey: listKey,
    queryFn: async ({ signal }) => asList(await call('sshKey.list', { signal })),
    // A key just added stays at the end of the list for a while (catalogue G-098).
    staleTime: 60_000,
  })
  return {
    sshKeys: query.data ?? [],
    loading: query.isPending || (query.isFetching && query.data === undefined),
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
  }
}

/** Adds a key at the end of the list. */
export function useCreateSshKey() {
  return useMutation({
    mutationFn: (creation: Creation<SshKeyCreate>) => call('sshKey.create', creation),
    onSuccess: (created) => {
      queryClient.setQueryData<SshKey[]>(listKey, (old) => [
        ...(old ?? []).map((key) => (created.is_default ? { ...key, is_default: false } : key)),
        created,
      ])
    },
  })
}

/** Deletes a key; VMs that use it keep it. */
export function useDeleteSshKey() {
  return useMutation({
    mutationFn: (sshKeyId: string) => call('sshKey.delete', { params: { sshKeyId } }),
    onSuccess: (_, sshKeyId) => {
      queryClient.setQueryData<SshKey[]>(listKey, (old) => old?.filter(({ id }) => id !== sshKeyId))
      // If it was the default key, another key is the default now.
      void queryClient.invalidateQueries({ queryKey: listKey })
    },
  })
}

/** Asks for the user name that proves a key. */
export function useProveSshKey() {
  return useMutation({
    mutationFn: (sshKeyId: string) => call('sshKey.prove', { params: { sshKeyId } }),
    gcTime: 0,
  })
}

const watchEveryMs = 2_000

/** Loads the keys again and again, while somebody proves one elsewhere. */
export function useSshKeyWatch(): void {
  useEffect(() => {
    const timer = setInterval(() => void queryClient.invalidateQueries({ queryKey: listKey }), watchEveryMs)
    return () => clearInterval(timer)
  }, [])
}
