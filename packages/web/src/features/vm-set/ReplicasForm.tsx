import { replicasAllowed, type VmSet, vmSetReplicas } from '@slipway/contract'
import { useState } from 'react'
import { errorDetail, fullErrorText } from '../../api/errors.ts'
import { useUpdateVmSet } from '../../api/vm-sets.ts'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { Field } from '../../ui/Field.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { toast } from '../../ui/toast.tsx'
import { InlineForm } from '../vm-group/InlineForm.tsx'

const failureText = 'Failed to update VMSet. Please try again.'

/** Changes how many VMs a set holds, in its card or on its page. */
export function ReplicasForm({ set, onClose }: { set: VmSet; onClose: () => void }) {
  const update = useUpdateVmSet()
  const [changed, setChanged] = useState<number | null>(null)
  const replicas = changed ?? set.replicas
  const allowed = replicasAllowed(replicas)

  const shell = useFormShell({
    dirty: changed !== null,
    send: (input: Parameters<typeof update.mutateAsync>[0]) => update.mutateAsync(input),
    failureText: (error) => fullErrorText(failureText, error),
  })
  const save = () =>
    shell.submit(
      { set, body: { replicas } },
      {
        onSuccess: () => {
          toast.success('VM Set updated successfully')
          onClose()
        },
        onFailure: (error) => toast.error(failureText, { detail: errorDetail(error) }),
      },
    )

  return (
    <InlineForm
      label={`Edit ${set.name}`}
      problem={allowed === true ? null : allowed}
      busy={shell.pending}
      error={shell.error}
      onSave={() => void save()}
      onCancel={onClose}
    >
      <Field label="Number of replicas" hint={`From ${vmSetReplicas.min} to ${vmSetReplicas.max}.`}>
        <NumberInput
          min={vmSetReplicas.min}
          max={vmSetReplicas.max}
          step={1}
          fallback={vmSetReplicas.min}
          value={replicas}
          onValueChange={setChanged}
          className="max-w-32"
        />
      </Field>
      {replicas < set.replicas && allowed === true && (
        <p className="mt-2.5 text-hint text-ink-2">{goText(set.replicas - replicas)}</p>
      )}
    </InlineForm>
  )
}

const goText = (count: number) =>
  count === 1
    ? 'One VM will be deleted with the disks created for it: a failed one first, else the newest.'
    : `${count} VMs will be deleted with the disks created for them: failed ones first, then the newest.`
