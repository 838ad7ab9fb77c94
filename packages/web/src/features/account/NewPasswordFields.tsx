import { passwordChecks, passwordStrength } from '@slipway/contract'
import { Check, Minus } from 'lucide-react'
import { cx } from '../../ui/cx.ts'
import { Field, PasswordInput } from '../../ui/Field.tsx'
import { HintLine } from './HintLine.tsx'
import type { NewPassword } from './new-password.ts'
import type { Complaints } from './use-account-form.ts'

interface NewPasswordFieldsProps {
  value: NewPassword
  onChange: (part: Partial<NewPassword>) => void
  errors: Complaints<NewPassword>
  label?: string
}

/** A password with its strength, and once more to be sure. */
export function NewPasswordFields({ value, onChange, errors, label = 'Password' }: NewPasswordFieldsProps) {
  const { password, confirmation } = value
  const same = password === confirmation
  return (
    <>
      <Field label={label} error={errors.password}>
        <PasswordInput
          name="password"
          autoComplete="new-password"
          value={password}
          onChange={(event) => onChange({ password: event.target.value })}
        />
      </Field>
      <PasswordStrength password={password} />
      <Field
        label="Confirm password"
        error={errors.confirmation}
        hint={
          confirmation && (
            <HintLine good={same}>{same ? 'Passwords match' : "Passwords don't match"}</HintLine>
          )
        }
      >
        <PasswordInput
          name="confirmation"
          autoComplete="new-password"
          value={confirmation}
          onChange={(event) => onChange({ confirmation: event.target.value })}
        />
      </Field>
    </>
  )
}

const tones = {
  Weak: { text: 'text-bad', bar: 'bg-bad-mark' },
  Fair: { text: 'text-busy', bar: 'bg-busy-mark' },
  Good: { text: 'text-ok', bar: 'bg-ok' },
  Strong: { text: 'text-ok', bar: 'bg-ok' },
}

function PasswordStrength({ password }: { password: string }) {
  const { score, label } = passwordStrength(password)
  const tone = tones[label]
  return (
    <div className="-mt-1.5">
      <div className="flex h-4 items-center gap-[3px]">
        {/* biome-ignore lint/a11y/useSemanticElements: <meter> cannot be drawn as five segments in every browser. */}
        <div
          role="meter"
          aria-label="Password strength"
          aria-valuemin={0}
          aria-valuemax={passwordChecks.length}
          aria-valuenow={score}
          aria-valuetext={label}
          className="flex flex-1 gap-[3px]"
        >
          {passwordChecks.map((check, index) => (
            <span
              key={check.label}
              className={cx(
                'h-1 flex-1 forced-color-adjust-none',
                password && index < score ? tone.bar : 'bg-line',
              )}
            />
          ))}
        </div>
        {password && <span className={cx('w-13 text-right text-hint/4 font-[550]', tone.text)}>{label}</span>}
      </div>
      <ul className="mt-2 grid grid-cols-1 gap-x-3 gap-y-[3px] text-hint text-ink-3 sm:grid-cols-2">
        {passwordChecks.map((check) => {
          const holds = check.holds(password)
          const Icon = holds ? Check : Minus
          return (
            <li key={check.label} className={cx('flex items-center gap-1.5', holds && 'text-ink-2')}>
              <Icon size={14} strokeWidth={1.6} aria-hidden className={cx('flex-none', holds && 'text-ok')} />
              {check.label}
              <span className="sr-only">{holds ? ', met' : ', missing'}</span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
