/** How VMs of a project find each other: `<vm>` and, on a host, `<vm>.<project>.internal`. */
import { projectLabelOf } from './ssh-gateway.rules.ts'
import { hostnameOf } from './vm.rules.ts'

interface Named {
  id: string
  name: string
}

/**
 * What the names of a project end in, such as `shop.internal`.
 *
 * @param pattern as engines tell it, such as `{label}.internal`
 */
export const networkDomainOf = (project: { id: string; name: string }, pattern: string): string =>
  pattern.replace('{label}', projectLabelOf(project.name)).replace('{id}', project.id)

/**
 * What VMs and groups of a project are called in its network, by id. As for SSH by name, one that more than one of them
 * would have means none of them, and nobody is called by the id of another: those are called by their own ids.
 */
export function networkLabels(all: readonly Named[]): Map<string, string> {
  const labels = all.map(({ name }) => hostnameOf(name))
  const claims = new Map<string, number>()
  for (const label of labels) claims.set(label, (claims.get(label) ?? 0) + 1)
  const ids = new Set(all.map(({ id }) => id))
  return new Map(
    all.map(({ id }, i) => {
      const label = labels[i] ?? id
      return [id, claims.get(label) === 1 && !ids.has(label) ? label : id]
    }),
  )
}

/**
 * Whom each name means in the network of a project, by id. All are found by their ids too, whatever they are called.
 *
 * @param groups pools and sets with their running members: the name of a group means all of those
 */
export function networkNames(
  vms: readonly Named[],
  groups: readonly (Named & { running: readonly string[] })[],
): Record<string, string[]> {
  const labels = networkLabels([...vms, ...groups])
  const named = (id: string, ids: readonly string[]): [string, string[]][] =>
    ids.length === 0 ? [] : [labels.get(id) ?? id, id].map((name) => [name, [...ids]])
  return Object.fromEntries([
    ...vms.flatMap(({ id }) => named(id, [id])),
    ...groups.flatMap(({ id, running }) => named(id, running)),
  ])
}

/** What a label is found by, the shortest first. */
export const networkNamesOf = (label: string, domain: string): string[] => [label, `${label}.${domain}`]

/** The texts of networks, on screen and in errors. */
export const networkTexts = {
  internetMissing: 'Choose whether VMs of this project reach the Internet',
}
