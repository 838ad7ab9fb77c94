/** How VMs of a project find each other: `<vm>` and `<vm>.<project>.internal`. */
import { projectLabelOf } from './ssh-gateway.rules.ts'
import { hostnameOf } from './vm.rules.ts'

interface Named {
  id: string
  name: string
}

/** What the names of a project end in, such as `shop.internal`. */
export const networkDomainOf = (project: { name: string }): string =>
  `${projectLabelOf(project.name)}.internal`

/**
 * Whom each name means in the network of a project, by id. As for SSH by name, one that more than one VM or group would
 * have means none of them; all of them are found by their ids, whatever they are called.
 *
 * @param groups pools and sets with their running members: the name of a group means all of those
 */
export function networkNames(
  vms: readonly Named[],
  groups: readonly (Named & { running: readonly string[] })[],
): Record<string, string[]> {
  const claims = new Map<string, string[][]>()
  const claim = (label: string, ids: string[]) => claims.set(label, [...(claims.get(label) ?? []), ids])
  for (const { id, name } of vms) claim(hostnameOf(name), [id])
  for (const { name, running } of groups) claim(hostnameOf(name), [...running])
  const names = [...claims].flatMap(([label, [ids = [], ...others]]): [string, string[]][] =>
    others.length === 0 && ids.length > 0 ? [[label, ids]] : [],
  )
  return Object.fromEntries([
    ...names,
    ...vms.map(({ id }): [string, string[]] => [id, [id]]),
    ...groups.flatMap(({ id, running }): [string, string[]][] =>
      running.length > 0 ? [[id, [...running]]] : [],
    ),
  ])
}

/** The texts of networks, on screen and in errors. */
export const networkTexts = {
  internetMissing: 'Choose whether VMs of this project reach the Internet',
}
