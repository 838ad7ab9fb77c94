/** What an engine may be unable to do, by the names of `cannot` on the wire. */
export const limitNames = [
  'memory_snapshots',
  'suspend',
  'copies',
  'hot_plug',
  'incremental_snapshots',
  'screens',
  'backups',
  'networks',
  'ports',
  'disk_files',
  'grow_disks',
  'grow_root_disks',
  'change_keys',
] as const
export type LimitName = (typeof limitNames)[number]

/** What the engine of an installation cannot do: null where it can, else the sentence that says what to do instead. */
export type Limits = Record<LimitName, string | null>

/** Those of an engine that can do everything. */
export const noLimits: Limits = {
  memory_snapshots: null,
  suspend: null,
  copies: null,
  hot_plug: null,
  incremental_snapshots: null,
  screens: null,
  backups: null,
  networks: null,
  ports: null,
  disk_files: null,
  grow_disks: null,
  grow_root_disks: null,
  change_keys: null,
}

/**
 * Where the addresses of guests answer: on the machine that runs the server only, or only inside the cluster that runs
 * the guests.
 */
export const addressPlaces = ['this-host', 'inside'] as const
export type AddressPlace = (typeof addressPlaces)[number]

/** A limit as rules answer: `true`, or the sentence to show. The server refuses with it by 422. */
export const unlessLimited = (limit: string | null): true | string => limit === null || limit
