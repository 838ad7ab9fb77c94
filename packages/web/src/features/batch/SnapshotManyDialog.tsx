import {
  batchSnapshotName,
  batchTitle,
  diskSnapshotRetention,
  diskSnapshotTexts,
  vmSnapshotRetention,
  vmSnapshotTexts,
} from '@slipway/contract'
import { useSelectedProject } from '../../api/projects.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { useFields } from '../../shell/use-fields.ts'
import { Field, NameInput } from '../../ui/Field.tsx'
import { NumberInput } from '../../ui/NumberInput.tsx'
import { AsText } from '../as-text/AsText.tsx'
import type { QuestionProps } from './question-props.ts'

const kinds = {
  'vmSnapshot.create': {
    days: vmSnapshotRetention,
    texts: vmSnapshotTexts,
    of: 'VM',
    more: 'Snapshots hold the disks of each VM, without its memory.',
  },
  'diskSnapshot.create': {
    days: diskSnapshotRetention,
    texts: diskSnapshotTexts,
    of: 'disk',
    more: 'Snapshots are full: each can be used without any other.',
  },
} as const

/** Asks how snapshots of many objects are called and how long they are kept. */
export function SnapshotManyDialog({
  action,
  objects,
  send,
  onClose,
}: QuestionProps & { action: keyof typeof kinds }) {
  const { days, texts, of, more } = kinds[action]
  const { form, change, dirty } = useFields({ name: '{name}', days: days.default as number })
  const { project } = useSelectedProject()
  const { submit, dialog } = useDialogForm({
    dirty,
    send,
    done: () => `${batchTitle(action, objects.length)} requested`,
    failed: 'Failed to send the request. Please try again.',
    onClose,
  })
  const name = form.name.trim()
  const isKept = Number.isInteger(form.days) && form.days >= days.min && form.days <= days.max
  const broken = name === '' ? texts.nameMissing : isKept ? undefined : texts.retentionInvalid
  const body = { action, ids: objects.map(({ id }) => id), name, retention_days: form.days }
  return (
    <FormDialog
      {...dialog}
      call={action}
      title={batchTitle(action, objects.length)}
      description={more}
      submit={{ label: 'Take snapshots', busyText: 'Sending...' }}
      onSubmit={() => {
        if (!broken) submit(body)
      }}
      note={broken}
      asText={<AsText call="batch.create" project={project} named={[]} body={() => body} missing={broken} />}
    >
      <Field
        label="Snapshot Name"
        hint={
          <>
            {'{name}'} is replaced by the name of each {of}:{' '}
            <bdi>{batchSnapshotName(name, objects[0]?.name ?? '')}</bdi>
          </>
        }
      >
        <NameInput value={form.name} onChange={({ target }) => change({ name: target.value })} />
      </Field>
      <Field label="Retention (days)" className="max-w-40">
        <NumberInput
          min={days.min}
          max={days.max}
          step={1}
          fallback={days.default}
          value={form.days}
          onValueChange={(next) => change({ days: next })}
        />
      </Field>
    </FormDialog>
  )
}
