import type { ReactNode, Ref } from 'react'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { Form } from '../../ui/Form.tsx'

interface SettingsFormProps {
  /** Names the form. */
  label: string
  ref: Ref<HTMLFormElement>
  submit: { label: string; busyText: string }
  onSubmit: () => void
  pending: boolean
  error?: string | undefined
  children: ReactNode
}

/** A form in a sheet of the account: fields, the error of the last attempt, and the button below. */
export function SettingsForm({ label, ref, submit, onSubmit, pending, error, children }: SettingsFormProps) {
  return (
    <Form ref={ref} label={label} onSubmit={onSubmit} className="grid max-w-115 gap-4 px-4 py-4">
      {children}
      {error && <Banner tone="error">{error}</Banner>}
      <div>
        <Button type="submit" busy={pending} busyText={submit.busyText}>
          {submit.label}
        </Button>
      </div>
    </Form>
  )
}
