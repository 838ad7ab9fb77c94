import { replicasAllowed, vmSetReplicas } from '@slipway/contract'
import { Controller, FormProvider } from 'react-hook-form'
import { useCreateVmSet } from '../../api/vm-sets.ts'
import { paths } from '../../paths.ts'
import { Field } from '../../ui/Field.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { GroupCreateForm, type GroupTexts } from '../vm-group/GroupCreateForm.tsx'
import { useGroupForm } from '../vm-group/use-group-form.ts'
import { brokenRules, emptyVmSetForm, scalingText, toBody } from './vm-set-form.ts'

const texts: GroupTexts = {
  title: 'Create VM Set',
  list: 'VM Sets',
  section: 'Set',
  name: 'Name',
  disks: 'Additional disks',
  createdTitle: 'VM Set created',
  created: (name) => `VM Set "${name}" created successfully with SSH key configured!`,
  failedTitle: 'VM Set not created',
  failed: 'Failed to create VM Set. Please try again.',
}

export function Component() {
  const create = useCreateVmSet()
  const group = useGroupForm({
    empty: emptyVmSetForm,
    brokenRules,
    toBody,
    countOf: ({ replicas }) => replicas,
    create: create.mutateAsync,
    failed: texts.failed,
  })
  const { methods, form, projectId, rules } = group

  return (
    <FormProvider {...methods}>
      <GroupCreateForm
        call="vmSet.create"
        texts={texts}
        listPath={paths.vmSets(projectId)}
        filled={group}
        templateHint={form.disks.length > 0 && 'Changing the template removes the additional disks.'}
        onTemplateChange={() => methods.setValue('disks', [])}
        sizeFields={
          <Field
            label="Number of replicas"
            hint="From 1 to 20. The set keeps this number of VMs."
            error={rules.find(({ field }) => field === 'replicas')?.text}
          >
            <Controller
              control={methods.control}
              name="replicas"
              render={({ field: { onChange, ...field } }) => (
                <NumberInput
                  {...field}
                  onValueChange={onChange}
                  min={vmSetReplicas.min}
                  max={vmSetReplicas.max}
                  fallback={1}
                  className="max-w-50"
                />
              )}
            />
          </Field>
        }
        sizes={replicasAllowed(form.replicas) === true ? [{ label: 'In total', count: form.replicas }] : []}
        scaling={scalingText(form)}
      />
    </FormProvider>
  )
}
