import { vmPoolSizeLimit } from '@slipway/contract'
import { Controller, FormProvider } from 'react-hook-form'
import { useCreateVmPool } from '../../api/vm-pools.ts'
import { paths } from '../../paths.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { GroupCreateForm, type GroupTexts } from '../vm-group/GroupCreateForm.tsx'
import { useGroupForm } from '../vm-group/use-group-form.ts'
import { brokenRules, emptyVmPoolForm, scalingText, sizesFit, toBody } from './vm-pool-form.ts'

const texts: GroupTexts = {
  title: 'Create VM Pool',
  list: 'VM Pools',
  section: 'Pool',
  name: 'Pool name',
  disks: 'Data disks',
  createdTitle: 'VM Pool created',
  created: (name) => `VM Pool "${name}" created successfully with SSH key configured!`,
  failedTitle: 'VM Pool not created',
  failed: 'Failed to create VM Pool. Please try again.',
}

/** How many VMs there are: what is no number becomes the least that the field takes. */
const sizeFields = [
  { name: 'minSize', wire: 'min_size', label: 'Min size', min: 0 },
  { name: 'desiredSize', wire: 'desired_size', label: 'Desired size', min: 1 },
  { name: 'maxSize', wire: 'max_size', label: 'Max size', min: 1 },
] as const

export function Component() {
  const create = useCreateVmPool()
  const group = useGroupForm({
    empty: emptyVmPoolForm,
    brokenRules,
    toBody,
    countOf: ({ desiredSize }) => desiredSize,
    create: create.mutateAsync,
    failed: texts.failed,
  })
  const { methods, form, project, projectId, rules } = group

  return (
    <FormProvider {...methods}>
      <GroupCreateForm
        call="vmPool.create"
        texts={texts}
        listPath={paths.vmPools(projectId)}
        filled={group}
        identity={
          <Field
            label="Project ID"
            hint={
              project && (
                <>
                  The project <bdi>{project.name}</bdi>.
                </>
              )
            }
          >
            <TextInput value={projectId} readOnly className="mono bg-sunken! text-ink-2!" />
          </Field>
        }
        sizeFields={
          <>
            <div className="grid items-start gap-4 sm:grid-cols-3">
              {sizeFields.map(({ name, wire, label, min }) => (
                <Field
                  key={name}
                  label={label}
                  error={rules.find(({ field }) => field === wire)?.text}
                  hint={
                    name === 'minSize' &&
                    form.minSize === 0 &&
                    'No minimum is set, but the pool keeps at least 1 VM.'
                  }
                >
                  <Controller
                    control={methods.control}
                    name={name}
                    render={({ field: { onChange, ...field } }) => (
                      <NumberInput
                        {...field}
                        onValueChange={onChange}
                        min={min}
                        max={vmPoolSizeLimit}
                        fallback={min}
                      />
                    )}
                  />
                </Field>
              ))}
            </div>
            <Controller
              control={methods.control}
              name="autoScaling"
              render={({ field }) => (
                <Checkbox
                  label="Auto scaling"
                  description="Adds VMs while the pool is busy and deletes idle VMs with their disks, between the minimum and the maximum."
                  checked={field.value}
                  onCheckedChange={field.onChange}
                />
              )}
            />
          </>
        }
        sizes={
          sizesFit(form)
            ? [
                { label: 'Desired', count: form.desiredSize },
                { label: 'Maximum', count: form.maxSize },
              ]
            : []
        }
        scaling={scalingText(form)}
      />
    </FormProvider>
  )
}
