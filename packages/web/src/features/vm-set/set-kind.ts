import { isSetUnderWay, missing, type VmSet } from '@slipway/contract'
import { useDeleteVmSet, useVmSet, useVmSetHistory, useVmSets } from '../../api/vm-sets.ts'
import { paths } from '../../paths.ts'
import type { GroupKind } from '../vm-group/group-kind.ts'
import { ReplicasForm } from './ReplicasForm.tsx'

export const setKind: GroupKind<VmSet> = {
  api: 'vmSet',
  noun: 'VM set',
  plural: 'VM sets',
  calls: { create: 'vmSet.create', update: 'vmSet.update', delete: 'vmSet.delete' },
  isUnderWay: isSetUnderWay,
  paths: { list: paths.vmSets, create: paths.vmSetCreate, one: paths.vmSet },
  useAll: (projectId) => {
    const { sets, ...list } = useVmSets(projectId)
    return { groups: sets, ...list }
  },
  useOne: useVmSet,
  useHistory: useVmSetHistory,
  useRemoval: useDeleteVmSet,
  usageOf: ({ project_id, id }) => ({ project: project_id, set: id }),
  EditForm: ReplicasForm,
  deleteDialog: 'delete-set',
  objectKind: 'vm_set',
  texts: {
    subject: 'The set',
    underWay: 'Creating',
    title: 'VM Set',
    loading: 'Loading VM Set...',
    failed: 'Failed to load VM Set data. Please try again.',
    notLoaded: 'VM Set not loaded',
    notFound: missing.vmSetNotFound,
    none: 'There is no such VM set',
    back: 'Back to VM Sets',
    view: 'View VM Sets',
    numbers: 'VM set in numbers',
    gone: 'The VM set no longer exists.',
    delete: 'Delete VM Set',
    sureToDelete: 'Are you sure you want to delete VM set',
    deleted: 'VM Set deleted successfully',
    notDeleted: 'Failed to delete VMSet. Please try again.',
  },
}
