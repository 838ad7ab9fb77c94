import type { activityFormats } from '@slipway/contract'

type Format = (typeof activityFormats)[number]

/** Days as a date field has them, `2026-11-01`; empty: no limit. */
export interface ExportForm {
  from: string
  until: string
  format: Format
}

export interface ExportQuery {
  format: Format
  since?: string
  until?: string
}

/** When a day begins here, or one so many days later. */
function beginOf(day: string, later = 0): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}

/** What to ask for, both days included; or the sentence why there is nothing to ask for. */
export function exportQuery({ from, until, format }: ExportForm): ExportQuery | string {
  if (from !== '' && until !== '' && until < from) return 'The last day is before the first one'
  return {
    format,
    ...(from !== '' && { since: beginOf(from) }),
    ...(until !== '' && { until: beginOf(until, 1) }),
  }
}
