import {
  copiesAtOnce,
  type ProjectEndpointId,
  quotaOfCopies,
  type Vm,
  type VmCopies,
  vmTexts,
} from '@slipway/contract'
import { type ReactNode, useState } from 'react'
import { useSelectedProject } from '../../api/projects.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { Field, NameInput } from '../../ui/Field.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { AsText, type AsTextProps } from '../as-text/AsText.tsx'
import { useQuotaCheck } from '../quota/use-quota-check.ts'

interface CopiesDialogProps {
  call: ProjectEndpointId
  /** What its path names, and what that is called. */
  of: Required<Pick<AsTextProps, 'params' | 'named'>>
  title: string
  /** What the copies will be. */
  description: ReactNode
  /** What is copied; undefined until it is known. */
  source: Vm | undefined
  /** The data disks that each copy gets copies of. */
  disks: Vm['disks']
  /** The name that is proposed. */
  proposal: string
  submitLabel: string
  send: (body: VmCopies) => Promise<readonly Vm[]>
  onClose: () => void
}

/** Asks for the name and the number of VMs that are copies of something. */
export function CopiesDialog({
  call,
  of,
  source,
  disks,
  proposal,
  submitLabel,
  send,
  onClose,
  ...rest
}: CopiesDialogProps) {
  const { project } = useSelectedProject()
  const [name, setName] = useState(proposal)
  const [count, setCount] = useState(1)
  const broken =
    name.trim() === ''
      ? vmTexts.nameMissing
      : Number.isInteger(count) && count >= 1 && count <= copiesAtOnce
        ? undefined
        : vmTexts.copyCount
  const { refusal } = useQuotaCheck(
    source?.project_id,
    quotaOfCopies(
      Number.isInteger(count) && count > 0 ? count : 1,
      source ?? { cpu: 1, memory_mb: 1, root_disk_gb: null, next_root_disk_gb: null },
      disks,
    ),
  )
  const { submit, dialog } = useDialogForm({
    dirty: name !== proposal || count !== 1,
    send,
    done: (vms) =>
      vms.length === 1 ? `VM "${vms[0]?.name}" is being created` : `${vms.length} VMs are being created`,
    failed: 'Failed to create the VM. Please try again.',
    onClose,
  })
  const body = { name: name.trim(), count }
  return (
    <FormDialog
      {...rest}
      call={call}
      {...dialog}
      submit={{ label: submitLabel, busyText: 'Creating...' }}
      onSubmit={() => {
        if (!broken && !refusal) submit(body)
      }}
      note={refusal ?? broken}
      asText={<AsText call={call} project={project} {...of} body={() => body} missing={broken} />}
    >
      <Field label="VM Name" hint={count > 1 ? 'Each VM gets a number behind this name.' : undefined}>
        <NameInput value={name} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label="Number of VMs" className="max-w-40">
        <NumberInput
          min={1}
          max={copiesAtOnce}
          step={1}
          fallback={1}
          value={count}
          onValueChange={setCount}
        />
      </Field>
    </FormDialog>
  )
}
