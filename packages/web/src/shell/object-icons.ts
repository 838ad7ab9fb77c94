import type { ActivityObject } from '@slipway/contract'
import {
  Camera,
  Copy,
  Disc,
  FolderKanban,
  HardDrive,
  History,
  Key,
  KeyRound,
  KeySquare,
  LayoutTemplate,
  type LucideIcon,
  Network,
  Scaling,
  Server,
  Share2,
} from 'lucide-react'

/** The icon of a kind of object, of the log of what happened and of the network of a project: one meaning each, wherever it stands. */
export const objectIcons = {
  project: FolderKanban,
  template: LayoutTemplate,
  vm: Server,
  vm_pool: Scaling,
  vm_set: Copy,
  disk: HardDrive,
  vm_snapshot: Camera,
  disk_snapshot: Disc,
  share: Share2,
  ssh_key: KeyRound,
  api_token: KeySquare,
  passkey: Key,
  activity: History,
  network: Network,
} as const satisfies Record<
  Exclude<ActivityObject, 'account' | 'batch' | 'webhook'> | 'activity' | 'network',
  LucideIcon
>
