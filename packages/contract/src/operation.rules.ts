export const operationTexts = {
  /** What a disk or snapshot says whose creation was cancelled. */
  cancelled: 'Creation was cancelled.',
  notCancellable: 'This operation cannot be cancelled. It finishes on its own.',
  refused: 'Only administrators (SLIPWAY_ADMINS) can view and cancel the operations of all accounts',
} as const

/** What long work may be about. */
export const operationObjects = ['vm', 'disk', 'vm_snapshot', 'disk_snapshot'] as const
export type OperationObject = (typeof operationObjects)[number]

const titles: Record<string, string> = {
  'disk.create': 'Create disk',
  'vm.fork': 'Copy VM',
  'vmSnapshot.create': 'Create VM snapshot',
  'vmSnapshot.restore': 'Restore VM',
  'vmSnapshot.delete': 'Delete VM snapshot',
  'diskSnapshot.create': 'Create disk snapshot',
  'diskSnapshot.delete': 'Delete disk snapshot',
}

/** What an operation does, as a title: `Create disk`. */
export const operationTitle = ({ action }: { action: string }): string => titles[action] ?? 'Operation'

/** What is lost when it is cancelled, in a sentence for the person who is about to. */
export const cancelConsequence = ({
  action,
  object,
}: {
  action: string
  object: { name: string }
}): string =>
  action === 'vmSnapshot.restore'
    ? `VM "${object.name}" stays unchanged.`
    : `Everything downloaded or copied for "${object.name}" so far is deleted, and its status becomes failed.`

const nouns = {
  fetch: ['download', 'downloads'],
  copy: ['copy', 'copies'],
  quick: ['operation', 'operations'],
  check: ['check', 'checks'],
  plug: ['operation', 'operations'],
} as const

/** Why work has not begun yet, in a sentence. `running` counts what is under way before it. */
export function waitingText(
  kind: keyof typeof nouns,
  { whose, running }: { whose: 'owner' | 'everybody'; running: number },
): string {
  const [one, more] = nouns[kind]
  return whose === 'owner'
    ? `Waiting for ${running} other ${running === 1 ? one : more} of this account.`
    : `Waiting for other ${more} on this server.`
}
