import { type AdminAccountDetail, type OwnLimits, quotaResources } from '@slipway/contract'
import { useSetLimits } from '../../api/admin.ts'
import { errorText } from '../../api/errors.ts'
import { useFields } from '../../shell/use-fields.ts'
import { useFormShell } from '../../shell/use-form-shell.ts'
import { Button } from '../../ui/Button.tsx'
import { Field, TextInput } from '../../ui/Field.tsx'
import { FormFoot, FormSection, FormSheet } from '../../ui/FormSheet.tsx'
import { toast } from '../../ui/toast.tsx'
import { limitFields, limitText, parseLimit, toBody, toForm } from './limits-form.ts'

/** The limits of an account, to be lowered and raised. */
export function LimitsSheet({ account }: { account: AdminAccountDetail }) {
  const { own_limits, default_limits } = account
  const { mutateAsync } = useSetLimits(account.id)
  const { form, change, dirty } = useFields(toForm(own_limits))
  const body = toBody(form)
  const failureText = (error: unknown) => errorText(error, 'Failed to set the limits. Please try again.')
  const shell = useFormShell({ dirty, send: (limits: OwnLimits) => mutateAsync(limits), failureText })
  const note =
    body === null ? 'Correct the limits that are marked.' : dirty ? undefined : 'Nothing has changed.'
  return (
    <FormSheet
      label="Limits"
      onSubmit={() => {
        if (body === null || !dirty) return
        void shell.submit(body, {
          onSuccess: () => toast.success('The limits are set'),
          onFailure: (error) => toast.error(failureText(error)),
        })
      }}
    >
      <FormSection title="Limits">
        <p className="text-hint text-ink-2">
          For all projects of this account together. Leave a limit empty to follow the settings of the server,
          or enter none for no limit. A limit below the usage deletes nothing at once; what exceeds that of
          the bin is deleted for good at the next deletion, the oldest first.
        </p>
        <div className="grid items-start gap-4 sm:grid-cols-3">
          {quotaResources.map((resource) => {
            const limit = parseLimit(resource, form[resource])
            return (
              <Field
                key={resource}
                label={limitFields[resource].label}
                hint={`Setting: ${limitText(resource, default_limits[resource])}`}
                error={typeof limit === 'string' ? limit : undefined}
              >
                <TextInput
                  value={form[resource]}
                  onChange={({ target }) => change({ [resource]: target.value })}
                  autoComplete="off"
                  maxLength={20}
                />
              </Field>
            )
          })}
        </div>
      </FormSection>
      <FormFoot note={note} error={shell.error} errorSaid>
        <Button
          type="submit"
          variant="primary"
          busy={shell.pending}
          busyText="Saving..."
          disabledReason={note}
        >
          Save limits
        </Button>
      </FormFoot>
    </FormSheet>
  )
}
