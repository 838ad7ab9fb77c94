import { parseDiskSize } from '@slipway/contract'

/** A size as it is sent: in whole Gi; what cannot be read stays as it is, for the rules to refuse. */
export function sizeText(size: string): string {
  const gi = parseDiskSize(size)
  return typeof gi === 'number' ? `${gi}Gi` : size
}
