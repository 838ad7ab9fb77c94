import { replicasAllowed, type VmSet, vmSetReplicas } from '@slipway/contract'
import { useState } from 'react'
import { useUpdateVmSet } from '../../api/vm-sets.ts'
import { Field } from '../../ui/Field.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { InlineForm } from '../vm-group/InlineForm.tsx'

const texts = {
  updated: 'VM Set updated successfully',
  failed: 'Failed to update VMSet. Please try again.',
}

/** Changes how many VMs a set holds, in its card or on its page. */
export function ReplicasForm({ group: set, onClose }: { group: VmSet; onClose: () => void }) {
  const update = useUpdateVmSet()
  const [changed, setChanged] = useState<number | null>(null)
  const replicas = changed ?? set.replicas
  const allowed = replicasAllowed(replicas)
  return (
    <InlineForm
      call="vmSet.update"
      label={`Edit ${set.name}`}
      body={{ replicas }}
      dirty={changed !== null}
      problem={allowed === true ? null : allowed}
      send={(body) => update.mutateAsync({ group: set, body })}
      texts={texts}
      onClose={onClose}
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
