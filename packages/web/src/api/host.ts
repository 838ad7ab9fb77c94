import { type Host, type Limits, noLimits, openSignUp, type SignUpRule } from '@slipway/contract'
import { useQuery } from '@tanstack/react-query'
import { ApiError, call } from './client.ts'
import { keyOf, queryClient } from './query.ts'

/** What the server wrote into the page. One from elsewhere, such as the development server's, has to be asked for. */
function hostOfPage(): Host | undefined {
  const content = document.querySelector('meta[name="slipway-host"]')?.getAttribute('content')
  // The server made it by the contract's shape.
  return content ? (JSON.parse(content) as Host) : undefined
}

/** What this installation can do; undefined until the server has answered. */
export function useHost(): Host | undefined {
  return useQuery({
    queryKey: keyOf('host.get'),
    // Not aborted with the component that asked first: every layout asks for it.
    queryFn: () => call('host.get'),
    initialData: hostOfPage,
    staleTime: Number.POSITIVE_INFINITY,
  }).data
}

/**
 * What the engine of this installation cannot do, for the rules of the contract. Before the server has answered, nothing
 * is known to be impossible; it refuses what is.
 */
export const useLimits = (): Limits => useHost()?.cannot ?? noLimits

/** Who may create an account; the server refuses whom it does not let in. */
export const useSignUpRule = (): SignUpRule => useHost()?.sign_up ?? openSignUp

/** Whether there is anybody who may: pages do not lead to a form that nobody can send. */
export function useIsSignUpOffered(): boolean {
  const { policy } = useSignUpRule()
  return policy !== 'closed' && policy !== 'oidc'
}

/** What this installation can do, outside of components, such as in a click handler. */
export const hostNow = (): Host | undefined => queryClient.getQueryData<Host>(keyOf('host.get'))

/** Whether the server responds at all. */
export const isServerThere = (): Promise<boolean> =>
  call('host.health').then(
    () => true,
    (error) => error instanceof ApiError && error.status !== null,
  )
