import { type QuotaAmounts, quotaAllows, quotaLeftText, quotaResources } from '@slipway/contract'
import { useQuota } from '../../api/quotas.ts'
import { reasonOf } from '../../ui/reason.ts'

/**
 * Whether the limits of a project leave room for what a form is about to request: the sentence of the first that does not, and
 * what is left. While they are not known nothing is refused here; the server does.
 */
export function useQuotaCheck(
  projectId: string | undefined,
  requested: Partial<QuotaAmounts>,
): { refusal: string | undefined; left: string | null } {
  const quota = useQuota(projectId)
  if (!quota) return { refusal: undefined, left: null }
  const resources = quotaResources.filter((resource) => (requested[resource] ?? 0) > 0)
  return {
    refusal: reasonOf(quotaAllows(quota, requested)),
    left: quotaLeftText(quota, resources),
  }
}
