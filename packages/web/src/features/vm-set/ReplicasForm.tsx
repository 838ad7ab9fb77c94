import { replicasAllowed, type VmSet, vmSetReplicas } from '@slipway/contract'
import { useState } from 'react'
import { errorDetail } from '../../api/errors.ts'
import { useUpdateVmSet } from '../../api/vm-sets.ts'
import { Field } from '../../ui/Field.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { toast } from '../../ui/toast.tsx'
import { InlineForm } from '../vm-group/InlineForm.tsx'

/** Changes how many VMs a set holds, in its card or on its page. */
export function ReplicasForm({ set, onClose }: { set: VmSet; onClose: () => void }) {
  const update = useUpdateVmSet()
  const [changed, setChanged] = useState<number | null>(null)
  const replicas = changed ?? set.replicas
  const allowed = replicasAllowed(replicas)

  const save = async () => {
    try {
      await update.mutateAsync({ set, body: { replicas } })
      toast.success('VM Set updated successfully')
      onClose()
    } catch (error) {
      toast.error('Failed to update VMSet. Please try again.', { detail: errorDetail(error) })
    }
  }

  return (
    <InlineForm
      label={`Edit ${set.name}`}
      problem={allowed === true ? null : allowed}
      busy={update.isPending}
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
  `${count === 1 ? 'One VM goes' : `${count} VMs go`} with the disks made for ${count === 1 ? 'it' : 'them'}: those that failed first, then the newest.`
