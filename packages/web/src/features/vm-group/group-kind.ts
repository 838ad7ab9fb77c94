import type { GroupHistory, ProjectEndpointId, VmPool, VmSet } from '@slipway/contract'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import type { RollOutKind } from '../../api/roll-outs.ts'
import type { UsageOf } from '../../api/usage.ts'
import type { GroupParts } from '../../api/vm-groups.ts'
import type { ListPageProps } from '../../shell/ListPage.tsx'

/** What pools and sets have in common on the wire; the words of their status differ. */
export type Group = Pick<VmPool, Exclude<keyof VmPool & keyof VmSet, 'status'>> & { status: string }

/** The calls that change one, which a role may not be permitted. */
export type GroupCalls = Readonly<Record<'create' | 'update' | 'delete', ProjectEndpointId>>

/**
 * What pools and sets differ in wherever they are shown: where they come from, where they lead, and their words,
 * written out as the specifications have them. All else of their lists, cards, pages and dialogs is the same.
 */
export interface GroupKind<G extends Group, H extends GroupHistory = GroupHistory> {
  /** As its calls begin. */
  api: RollOutKind
  /** `VM pool` and `VM pools`, within a sentence. */
  noun: string
  plural: string
  calls: GroupCalls
  isUnderWay: (group: { status: string }) => boolean
  paths: {
    list: (projectId: string) => string
    create: (projectId: string) => string
    one: (projectId: string, groupId: string) => string
  }
  useAll: (
    projectId: string,
  ) => { groups: readonly G[] } & Pick<ListPageProps['list'], 'loading' | 'error' | 'refreshing' | 'refetch'>
  useOne: (projectId: string, groupId: string) => UseQueryResult<G & GroupParts>
  useHistory: (projectId: string, groupId: string) => UseQueryResult<H>
  useRemoval: () => { mutateAsync: (wish: { group: G; forGood: boolean }) => Promise<unknown> }
  usageOf: (group: Group) => UsageOf
  /** Changes how many VMs there are, in the card or on the page. */
  EditForm: ComponentType<{ group: G; onClose: () => void }>
  /** The dialog before one is deleted, by its name in the URL. */
  deleteDialog: string
  /** As the bin and batches call it. */
  objectKind: 'vm_pool' | 'vm_set'
  texts: {
    /** `The pool`, at the beginning of a sentence. */
    subject: string
    /** Of its status while it is under way: `Scaling`. */
    underWay: string
    /** Until its name is known. */
    title: string
    loading: string
    failed: string
    notLoaded: string
    notFound: string
    none: string
    back: string
    view: string
    /** Of its stats on its page. */
    numbers: string
    gone: string
    /** Of the dialog, and of its button. */
    delete: string
    /** The question up to the name. */
    sureToDelete: string
    deleted: string
    notDeleted: string
  }
}
