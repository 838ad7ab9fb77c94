import {
  type DiskSnapshot,
  diskSnapshotStateOf,
  isFoundIn,
  snapshotCan,
  type VmSnapshot,
} from '@slipway/contract'
import { useMemo } from 'react'
import { useDiskSnapshots } from '../../api/disk-snapshots.ts'
import { useVmSnapshots } from '../../api/vm-snapshots.ts'
import { formatDateTime } from '../../time.ts'
import { Combobox } from '../../ui/Combobox.tsx'
import { Field } from '../../ui/Field.tsx'
import type { SelectOption } from '../../ui/SelectBox.tsx'

interface SourceSnapshotFieldProps {
  projectId: string
  name: string
  id: string
  onChange: (name: string, id: string) => void
}

/** The name of a snapshot, typed or chosen; a chosen one counts even where others have its name. */
export function SourceSnapshotField({ projectId, name, id, onChange }: SourceSnapshotFieldProps) {
  const { snapshots: ofDisks, ...diskList } = useDiskSnapshots(projectId)
  const { snapshots: ofVms, ...vmList } = useVmSnapshots(projectId)
  const failed = diskList.error !== null || vmList.error !== null
  const options = useMemo(() => optionsOf(ofDisks, ofVms), [ofDisks, ofVms])
  const chosen = options.find(({ value }) => value === id)
  const hint =
    options.length > 0
      ? 'The name of a disk snapshot or VM snapshot in this project.'
      : diskList.loading || vmList.loading
        ? 'Loading snapshots...'
        : 'This project has no ready snapshot.'
  const retry = () => {
    if (diskList.error) void diskList.refetch()
    if (vmList.error) void vmList.refetch()
  }
  return (
    <Field
      label="Snapshot Name"
      hint={chosen?.description ?? hint}
      error={failed ? 'Failed to load snapshots. Please try again.' : undefined}
      aside={
        failed && (
          <button type="button" className="link" onClick={retry}>
            Try Again
          </button>
        )
      }
    >
      <Combobox
        isMeant={isFoundIn}
        text={name}
        onTextChange={(text) => onChange(text, '')}
        value={chosen?.value ?? null}
        onChoose={({ label, value }) => onChange(label, value)}
        options={options}
        placeholder="Type or select a name"
      />
    </Field>
  )
}

function optionsOf(ofDisks: readonly DiskSnapshot[], ofVms: readonly VmSnapshot[]): SelectOption[] {
  return [
    ...ofDisks
      .filter((snapshot) => diskSnapshotStateOf(snapshot) === 'ready')
      .map(({ id, name, disk_name, size, created_at }) => ({
        value: id,
        label: name,
        description: `Disk ${disk_name}, ${size}, ${formatDateTime(created_at)}`,
      })),
    ...ofVms
      .filter((snapshot) => snapshotCan.createDisk(snapshot) === true)
      .map(({ id, name, vm_name, created_at }) => ({
        value: id,
        label: name,
        description: `Root disk of VM ${vm_name}, ${formatDateTime(created_at)}`,
      })),
  ]
}
