import { type Vm, vmCan, vmSnapshotRetention, vmSnapshotTypeAllowed } from '@slipway/contract'
import { useRef, useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { useLimits } from '../../api/host.ts'
import { useCreateVmSnapshot } from '../../api/vm-snapshots.ts'
import { useVms } from '../../api/vms.ts'
import { paths } from '../../paths.ts'
import { useFields } from '../../shell/use-fields.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Select } from '../../ui/Select.tsx'
import { StatusGlyph } from '../../ui/Status.tsx'
import { SnapshotCreation } from '../snapshot/SnapshotCreation.tsx'
import type { SnapshotForm } from '../snapshot/snapshot-form.ts'
import { SnapshotContent } from './SnapshotContent.tsx'
import { brokenRules, emptyVmSnapshotForm, possible, toBody } from './vm-snapshot-form.ts'

const texts = {
  title: 'Create Snapshot',
  description:
    'A snapshot saves the state of a VM, so that you can restore the VM later. The VM keeps running meanwhile.',
  back: 'Back to Snapshots',
  loading: 'Loading VMs...',
  created: (name: string) => `Snapshot "${name}" created successfully!`,
  failed: 'Failed to create snapshot. Please try again.',
}

export function Component() {
  const { projectId = '' } = useParams()
  const wantedVmId = useSearchParams()[0].get('vm')
  const list = useVms(projectId)
  const { vms, loading } = list
  const create = useCreateVmSnapshot()
  const limits = useLimits()

  const offered = vms.filter((vm) => vmCan.snapshot(vm) === true)
  // Once: a VM that cannot be chosen any more must not be replaced by another behind the user's back.
  const [firstId, setFirstId] = useState('')
  const first = offered.find(({ id }) => id === wantedVmId) ?? offered[0]
  if (first && firstId === '') setFirstId(first.id)
  const { form, change, dirty } = useFields({ ...emptyVmSnapshotForm, sourceId: firstId })
  const vm = offered.find(({ id }) => id === form.sourceId)
  const chosen: SnapshotForm = possible({ ...form, sourceId: vm?.id ?? '' }, limits)

  // The same try sent again says the same moment, too: with one key there is one body.
  const asked = useRef({ key: '', at: new Date() })
  const send = (sent: SnapshotForm, key: string) => {
    if (asked.current.key !== key) asked.current = { key, at: new Date() }
    const body = toBody(sent, asked.current.at)
    return create.mutateAsync({ projectId, vmId: sent.sourceId, body, idempotencyKey: key })
  }
  return (
    <SnapshotCreation
      call="vmSnapshot.create"
      texts={texts}
      form={chosen}
      onChange={change}
      asText={{
        params: { vmId: chosen.sourceId },
        named: vms,
        body() {
          // It says when this form was sent.
          const { metadata: _, ...body } = toBody(chosen, new Date())
          return body
        },
      }}
      dirty={dirty}
      rules={brokenRules(chosen)}
      loading={loading}
      send={send}
      listPath={paths.snapshots(projectId)}
      source={{
        title: 'Machine',
        field: (
          <VmField
            projectId={projectId}
            list={list}
            offered={offered}
            chosen={vm}
            asked={vms.find(({ id }) => id === (form.sourceId || wantedVmId))}
            onChange={(sourceId) => change({ sourceId })}
          />
        ),
      }}
      types={[
        {
          value: 'disk',
          label: 'Disk only',
          description: 'Faster. A restore brings the disks back and restarts a running VM.',
        },
        {
          value: 'full',
          label: 'Full: disk plus memory',
          description:
            vm?.status === 'stopped'
              ? 'This VM is stopped, so there is no memory to save: the snapshot will contain its disks only.'
              : 'A restored VM continues from the moment of the snapshot. The guest may pause while its memory is saved.',
          disabledReason: reasonOf(vmSnapshotTypeAllowed('full', limits)),
        },
      ]}
      retention={{
        min: vmSnapshotRetention.min,
        max: vmSnapshotRetention.max,
        fallback: vmSnapshotRetention.default,
        hint: 'From 1 to 365. Then the snapshot is deleted automatically.',
      }}
    >
      <SnapshotContent vm={vm} withMemory={chosen.type === 'full' && vm?.status === 'running'} />
    </SnapshotCreation>
  )
}

interface VmFieldProps {
  projectId: string
  list: Pick<ReturnType<typeof useVms>, 'loading' | 'error' | 'retry'>
  offered: readonly Vm[]
  chosen: Vm | undefined
  /** The VM that one came from, or that was chosen. */
  asked: Vm | undefined
  onChange: (vmId: string) => void
}

function VmField({ projectId, list, offered, chosen, asked, onChange }: VmFieldProps) {
  const { loading, error, retry } = list
  return (
    <>
      <Field
        label="VM"
        error={error ? 'Failed to load VMs. Please try again.' : undefined}
        aside={
          error && (
            <button type="button" className="link" onClick={retry}>
              Try Again
            </button>
          )
        }
        hint={<NotOffered vm={asked} chosen={chosen} />}
      >
        <Select
          value={chosen?.id ?? null}
          onValueChange={onChange}
          disabled={offered.length === 0}
          placeholder={loading ? 'Loading VMs...' : offered.length > 0 ? 'Choose a VM' : 'No VM'}
          options={offered.map(({ id, name, status }) => ({
            value: id,
            label: name,
            description: status,
            icon: <StatusGlyph word={status} />,
          }))}
        />
      </Field>
      {!loading && !error && offered.length === 0 && (
        <Banner
          tone="warn"
          action={
            <Button size="sm" render={<Link to={paths.vms(projectId)} />}>
              View VMs
            </Button>
          }
        >
          No VMs available for snapshot creation. VMs must be in running or stopped state.
        </Banner>
      )}
    </>
  )
}

/** Why the VM that one came from, or that was chosen, is not among the choices; nothing when it is. */
function NotOffered({ vm, chosen }: { vm: Vm | undefined; chosen: Vm | undefined }) {
  if (!vm || vm.id === chosen?.id || vmCan.snapshot(vm) === true) return null
  return (
    <>
      <bdi>{vm.name}</bdi> is {vm.status.toLowerCase()}. {vmCan.snapshot(vm)}.
    </>
  )
}
