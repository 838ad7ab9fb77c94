import type { z } from 'zod'

/** The form of a snapshot as the user sees it; what is not chosen yet is an empty text. */
export interface SnapshotForm {
  name: string
  description: string
  /** The VM or the disk. */
  sourceId: string
  /** `full` is known to both kinds, `disk` to that of VMs, `incremental` to that of disks. */
  type: 'disk' | 'full' | 'incremental'
  retentionDays: number
}

export interface BrokenRule {
  field: 'name' | 'description' | 'source' | 'project' | 'retention'
  text: string
}

/** A rule in the order they are told: where the contract reports it, or the form's own complaint. */
export type Rule<Body> = { field: BrokenRule['field'] } & ({ wire: keyof Body } | { own: string | null })

/** The rules that a form breaks, in their order, with the sentences to show. */
export function brokenRulesOf<Body>(
  schema: z.ZodType<unknown, Body>,
  body: Body,
  rules: readonly Rule<Body>[],
): BrokenRule[] {
  const issues = schema.safeParse(body).error?.issues ?? []
  return rules.flatMap((rule) => {
    const text = 'own' in rule ? rule.own : issues.find(({ path }) => path[0] === rule.wire)?.message
    return text ? [{ field: rule.field, text }] : []
  })
}
