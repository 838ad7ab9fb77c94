import type { Identity } from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { useHost } from './host.ts'
import { keyOf, queryClient } from './query.ts'

const key = keyOf('oidc.list')

interface Identities {
  identities: Identity[]
  has_password: boolean
}

/** With whom people can sign in beside their passwords. */
export const useProviders = (): readonly { name: string; label: string }[] => useHost()?.oidc_providers ?? []

/** What a provider is called; one that is not known any more has no name. */
export function useProviderLabel(name: string | null): string {
  return useProviders().find((one) => one.name === name)?.label ?? 'The sign-in provider'
}

/** The identities that are linked to the account, oldest first. */
export function useIdentities() {
  const query = useQuery({
    queryKey: key,
    queryFn: async ({ signal }): Promise<Identities> => call('oidc.list', { signal }),
  })
  return {
    identities: query.data?.identities ?? [],
    /** Until it is known, an account counts as one with a password, as most have. */
    hasPassword: query.data?.has_password ?? true,
    loading: query.isPending || (query.isFetching && query.data === undefined),
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
  }
}

/** Unlinks an identity. */
export function useUnlink() {
  return useMutation({
    mutationFn: (identityId: string) => call('oidc.unlink', { params: { identityId } }),
    onSuccess: (_, identityId) =>
      queryClient.setQueryData<Identities>(
        key,
        (old) => old && { ...old, identities: old.identities.filter(({ id }) => id !== identityId) },
      ),
  })
}
