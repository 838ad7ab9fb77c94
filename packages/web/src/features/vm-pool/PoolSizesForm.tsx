import {
  type PoolSizes,
  poolSizesAllowed,
  type VmPool,
  vmPoolSizeLimit,
  vmPoolTexts,
} from '@slipway/contract'
import { useState } from 'react'
import { useUpdateVmPool } from '../../api/vm-pools.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field } from '../../ui/Field.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { InlineForm } from '../vm-group/InlineForm.tsx'

const sizes = [
  { name: 'min_size', label: 'Min size', lowest: 0 },
  { name: 'desired_size', label: 'Desired size', lowest: 1 },
  { name: 'max_size', label: 'Max size', lowest: 1 },
] as const

const texts = {
  updated: 'VM Pool updated successfully',
  failed: 'Failed to update VMPool. Please try again.',
}

/** Changes the sizes of a pool in its card or on its page. What one did not touch stays as the pool has it. */
export function PoolSizesForm({ group: pool, onClose }: { group: VmPool; onClose: () => void }) {
  const update = useUpdateVmPool()
  const [changed, setChanged] = useState<Partial<PoolSizes & Pick<VmPool, 'auto_scaling'>>>({})
  const { min_size, desired_size, max_size, auto_scaling } = { ...pool, ...changed }
  const body = { min_size, max_size, desired_size, auto_scaling }
  return (
    <InlineForm
      call="vmPool.update"
      label={`Edit ${pool.name}`}
      body={body}
      dirty={Object.keys(changed).length > 0}
      problem={problemOf(body)}
      send={(body) => update.mutateAsync({ group: pool, body })}
      texts={texts}
      onClose={onClose}
    >
      <div className="grid grid-cols-3 gap-3">
        {sizes.map(({ name, label, lowest }) => (
          <Field key={name} label={label}>
            <NumberInput
              min={lowest}
              max={vmPoolSizeLimit}
              step={1}
              fallback={lowest}
              value={body[name]}
              onValueChange={(value) => setChanged({ ...changed, [name]: Math.max(lowest, value) })}
            />
          </Field>
        ))}
      </div>
      <Checkbox
        className="mt-3.5"
        label="Auto scaling"
        description="The pool scales with its CPU load."
        checked={auto_scaling}
        onCheckedChange={(auto_scaling) => setChanged({ ...changed, auto_scaling })}
      />
    </InlineForm>
  )
}

function problemOf(sizes: PoolSizes): string | null {
  const { min_size, desired_size, max_size } = sizes
  if (![min_size, desired_size, max_size].every(Number.isInteger)) return vmPoolTexts.notANumber
  const allowed = poolSizesAllowed(sizes)
  return allowed === true ? null : allowed
}
