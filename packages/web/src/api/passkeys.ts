import {
  type Passkey,
  type PasskeyMade,
  type PasskeyOptions,
  type PasskeyUsed,
  passkeysWorkAt,
} from '@slipway/contract'
import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { useHost } from './host.ts'
import { asList, keyOf, queryClient } from './query.ts'

const listKey = keyOf('passkey.list')

/** Loaded when a passkey is made or used: no page needs it earlier. */
const browser = () => import('@simplewebauthn/browser')

/** Asks the user for a passkey; rejects when there is none, or the user does not want to. */
export async function askForPasskey(options: PasskeyOptions): Promise<PasskeyUsed> {
  const { startAuthentication } = await browser()
  // The server made them by the shapes of the standard.
  const optionsJSON = options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON']
  return (await startAuthentication({ optionsJSON })) as PasskeyUsed
}

async function makePasskey(options: PasskeyOptions): Promise<PasskeyMade> {
  const { startRegistration } = await browser()
  const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON']
  return (await startRegistration({ optionsJSON })) as PasskeyMade
}

/** Whether passkeys work where this page was opened, or the sentence why not; undefined until it is known. */
export function usePasskeysWork(): true | string | undefined {
  const host = useHost()
  return host && passkeysWorkAt(host.passkey_origin, window.location.origin)
}

/** The user's passkeys, oldest first. */
export function usePasskeys() {
  const query = useQuery({
    queryKey: listKey,
    queryFn: async ({ signal }) => asList(await call('passkey.list', { signal })),
  })
  return {
    passkeys: query.data ?? [],
    loading: query.isPending || (query.isFetching && query.data === undefined),
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
  }
}

/** Has the device make a passkey, and adds it to the account. */
export function useAddPasskey() {
  return useMutation({
    mutationFn: async (name: string) => {
      const passkey = await makePasskey(await call('passkey.begin'))
      return call('passkey.create', { body: { name, passkey } })
    },
    onSuccess: (added) => queryClient.setQueryData<Passkey[]>(listKey, (old) => old && [...old, added]),
  })
}

export function useRenamePasskey() {
  return useMutation({
    mutationFn: ({ id, name }: Pick<Passkey, 'id' | 'name'>) =>
      call('passkey.rename', { params: { passkeyId: id }, body: { name } }),
    onSuccess: (renamed) =>
      queryClient.setQueryData<Passkey[]>(listKey, (old) =>
        old?.map((one) => (one.id === renamed.id ? renamed : one)),
      ),
  })
}

export function useRemovePasskey() {
  return useMutation({
    mutationFn: (passkeyId: string) => call('passkey.delete', { params: { passkeyId } }),
    onSuccess: (_, passkeyId) =>
      queryClient.setQueryData<Passkey[]>(listKey, (old) => old?.filter(({ id }) => id !== passkeyId)),
  })
}
