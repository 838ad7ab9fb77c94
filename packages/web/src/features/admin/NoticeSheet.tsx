import { type Notice, NoticeSet, noticeLimit, noticeTexts } from '@slipway/contract'
import { useRemoveNotice, useSetNotice } from '../../api/admin.ts'
import { errorText } from '../../api/errors.ts'
import { useHost } from '../../api/host.ts'
import { useFields } from '../../shell/use-fields.ts'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { Button } from '../../ui/Button.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { FormFoot, FormSection, FormSheet } from '../../ui/FormSheet.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { toast } from '../../ui/toast.tsx'

/** What everybody is told, as soon as it is known whether there is something. */
export function NoticeSheet() {
  const host = useHost()
  return host ? <NoticeForm notice={host.notice} /> : null
}

const tones = [
  { value: 'info', label: 'Information' },
  { value: 'warn', label: 'Warning' },
] as const

function NoticeForm({ notice }: { notice: Notice | null }) {
  const setNotice = useSetNotice()
  const removal = useRemoveNotice()
  const { form, change, dirty } = useFields({ tone: notice?.tone ?? 'info', text: notice?.text ?? '' })
  const parsed = NoticeSet.safeParse(form)
  const failed = 'Failed to set the notice. Please try again.'
  const shell = useFormShell({
    dirty,
    send: (body: NoticeSet) => setNotice.mutateAsync(body),
    failureText: (error) => errorText(error, failed),
  })
  const problem = parsed.success ? undefined : parsed.error.issues[0]?.message
  const note = dirty ? problem : 'Nothing has changed.'
  return (
    <FormSheet
      label="Notice"
      onSubmit={() => {
        if (!parsed.success || !dirty) return
        void shell.submit(parsed.data, {
          onSuccess: ({ tone, text }) => {
            change({ tone, text })
            toast.success('Everybody sees the notice')
          },
          onFailure: (error) => toast.error(errorText(error, failed)),
        })
      }}
    >
      <FormSection title="Notice">
        <p className="text-hint text-ink-2">
          One line that everybody sees at the top of every page, also without being signed in. Nobody can
          close it: remove it when it is over.
        </p>
        <Field label="Text" error={dirty && form.text !== '' ? problem : undefined}>
          <TextInput
            value={form.text}
            onChange={({ target }) => change({ text: target.value })}
            maxLength={noticeLimit}
            autoComplete="off"
            dir="auto"
          />
        </Field>
        <RadioGroup
          label="Tone"
          value={form.tone}
          onValueChange={(tone) => change({ tone })}
          options={tones}
        />
      </FormSection>
      <FormFoot note={note} error={shell.error} errorSaid>
        <Button
          disabledReason={notice ? undefined : noticeTexts.none}
          busy={removal.isPending}
          busyText="Removing..."
          onClick={() =>
            removal.mutate(undefined, {
              onSuccess: () => {
                // What is being written for the next one stays.
                if (!dirty) change({ tone: 'info', text: '' })
                toast.success('The notice is removed')
              },
              onError: (error) => toast.error(errorText(error, 'Failed to remove the notice.')),
            })
          }
        >
          Remove
        </Button>
        <Button
          type="submit"
          variant="primary"
          busy={shell.pending}
          busyText="Saving..."
          disabledReason={note}
        >
          Show to everybody
        </Button>
      </FormFoot>
    </FormSheet>
  )
}
