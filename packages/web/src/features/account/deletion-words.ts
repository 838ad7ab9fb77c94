import type { AccountDeletion } from '@slipway/contract'

const nouns: Record<keyof AccountDeletion['goes_along'], [one: string, many: string]> = {
  projects: ['project', 'projects'],
  vms: ['VM', 'VMs'],
  disks: ['disk', 'disks'],
  snapshots: ['snapshot', 'snapshots'],
  vm_pools: ['VM pool', 'VM pools'],
  vm_sets: ['VM set', 'VM sets'],
  shares: ['shared port', 'shared ports'],
  bin_items: ['object in the bin', 'objects in the bins'],
  ssh_keys: ['SSH key', 'SSH keys'],
  api_tokens: ['API token', 'API tokens'],
}

/** What goes along with an account, such as `2 projects, 1 VM`; what there is none of is left out. */
export function goesAlongText(counts: AccountDeletion['goes_along']): string {
  const parts = (Object.keys(nouns) as (keyof typeof nouns)[])
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${counts[kind]} ${nouns[kind][counts[kind] === 1 ? 0 : 1]}`)
  return parts.join(', ')
}

/** Names of projects as a list in a sentence. */
export const namesText = (names: readonly string[]): string => new Intl.ListFormat('en').format(names)
