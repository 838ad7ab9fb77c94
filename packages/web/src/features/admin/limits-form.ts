import { gibibyte, type OwnLimits, type QuotaResource, quotaResources } from '@slipway/contract'

/** The limits of an account as they are typed: empty for that of the settings, `none` for no limit. */
export type LimitsForm = Record<QuotaResource, string>

interface LimitField {
  label: string
  /** What one unit in the field is, in the units of the contract. */
  unit: number
}

export const limitFields: Record<QuotaResource, LimitField> = {
  vms: { label: 'VMs', unit: 1 },
  processors: { label: 'Processors', unit: 1 },
  memory_mb: { label: 'Memory (GB)', unit: 1024 },
  disk_bytes: { label: 'Disk space (GB)', unit: gibibyte },
  snapshot_bytes: { label: 'Snapshot space (GB)', unit: gibibyte },
  shares: { label: 'Shared ports', unit: 1 },
  bin_bytes: { label: 'Bin (GB)', unit: gibibyte },
}

const noLimit = 'none'

/** A limit as the field shows it. */
export function limitText(resource: QuotaResource, limit: number | null | undefined): string {
  if (limit === undefined) return ''
  if (limit === null) return noLimit
  return String(Math.round((limit / limitFields[resource].unit) * 100) / 100)
}

/** What is typed as a limit: undefined follows the settings, null is none, a text says what is wrong with it. */
export function parseLimit(resource: QuotaResource, typed: string): number | null | undefined | string {
  const text = typed.trim().toLowerCase()
  if (text === '') return undefined
  if (text === noLimit) return null
  const amount = Number(text)
  const { unit } = limitFields[resource]
  const isCount = unit === 1
  if (!/^\d+(\.\d+)?$/.test(text) || (isCount && !Number.isInteger(amount)))
    return `Enter a ${isCount ? 'whole ' : ''}number from 0, ${noLimit}, or nothing`
  const limit = Math.round(amount * unit)
  return Number.isSafeInteger(limit) ? limit : 'This number is too large'
}

export const toForm = (limits: OwnLimits): LimitsForm =>
  Object.fromEntries(
    quotaResources.map((resource) => [resource, limitText(resource, limits[resource])]),
  ) as LimitsForm // each resource is among them

/** What is sent; null while something in the form is wrong. */
export function toBody(form: LimitsForm): OwnLimits | null {
  const body: OwnLimits = {}
  for (const resource of quotaResources) {
    const limit = parseLimit(resource, form[resource])
    if (typeof limit === 'string') return null
    if (limit !== undefined) body[resource] = limit
  }
  return body
}
