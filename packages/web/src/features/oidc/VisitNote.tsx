import { isOidcProblem, oidcProblemText, oidcQuery } from '@slipway/contract'
import { useSearchParams } from 'react-router'
import { useSignUpRule } from '../../api/host.ts'
import { useProviderLabel } from '../../api/identities.ts'
import { Banner } from '../../ui/Banner.tsx'

/** How a visit to a provider ended that led back here; nothing when there was none. */
export function VisitNote({ className = '' }) {
  const [search] = useSearchParams()
  const rule = useSignUpRule()
  const label = useProviderLabel(search.get(oidcQuery.linked) ?? search.get(oidcQuery.provider))
  const problem = search.get(oidcQuery.problem)
  if (isOidcProblem(problem))
    return (
      <Banner tone="error" className={className}>
        {oidcProblemText(problem, label, rule)}
      </Banner>
    )
  if (search.get(oidcQuery.linked) === null) return null
  return (
    <Banner tone="info" className={className}>
      <p role="status">{label} can now sign you in to your account.</p>
    </Banner>
  )
}
