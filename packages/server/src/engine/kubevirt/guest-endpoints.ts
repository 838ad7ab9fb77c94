import type { EndpointSlice } from './kinds.ts'

/** All that counts of endpoints, in one text: two of them are compared, and one is kept of each slice in the cluster. */
export const endpointsText = (endpoints: EndpointSlice['endpoints'] = []): string =>
  (endpoints ?? [])
    .map(
      ({ hostname = '', addresses, conditions }) =>
        `${hostname} ${addresses.join()} ${conditions?.ready ?? true}`,
    )
    .join('\n')

/** By which a slice names its Service. */
export const serviceLabel = 'kubernetes.io/service-name'

export const serviceOfSlice = (labels: Record<string, string> = {}): string => labels[serviceLabel] ?? ''
