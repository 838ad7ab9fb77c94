import { type BatchCreate, batchTexts, batchTitle, isTag, tagsIn, vmChangeTexts } from '@slipway/contract'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { useFields } from '../../shell/use-fields.ts'
import { Field, TextInput } from '../../ui/Field.tsx'
import type { QuestionProps } from './question-props.ts'

/** Asks which tags many VMs get, and which they lose. */
export function TagManyDialog({ objects, send, onClose }: QuestionProps) {
  const { form, change, dirty } = useFields({ add: '', remove: '' })
  const { submit, dialog } = useDialogForm({
    dirty,
    send: (body: BatchCreate, key) => send(body, key),
    done: () => `${batchTitle('vm.update', objects.length)} requested`,
    failed: 'Failed to send the request. Please try again.',
    onClose,
  })
  const add_tags = tagsIn(form.add)
  const remove_tags = tagsIn(form.remove)
  const all = [...add_tags, ...remove_tags]
  const broken = !all.every(isTag)
    ? vmChangeTexts.tag
    : all.length === 0
      ? batchTexts.noTags
      : add_tags.some((tag) => remove_tags.includes(tag))
        ? batchTexts.tagBoth
        : undefined
  const field = (label: string, name: 'add' | 'remove', hint: string) => (
    <Field label={label} optional hint={hint}>
      <TextInput
        value={form[name]}
        onChange={({ target }) => change({ [name]: target.value })}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        dir="auto"
      />
    </Field>
  )
  return (
    <FormDialog
      {...dialog}
      call="vm.update"
      title={batchTitle('vm.update', objects.length)}
      submit={{ label: 'Change tags', busyText: 'Sending...' }}
      onSubmit={() => {
        if (!broken) submit({ action: 'vm.update', ids: objects.map(({ id }) => id), add_tags, remove_tags })
      }}
      note={broken}
    >
      {field('Add Tags', 'add', 'Separate tags by commas. Other tags of the VMs are kept.')}
      {field('Remove Tags', 'remove', 'VMs without these tags stay as they are.')}
    </FormDialog>
  )
}
