import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { call } from '../../api/client.ts'
import { errorText } from '../../api/errors.ts'
import { paths } from '../../paths.ts'
import { Banner } from '../../ui/Banner.tsx'
import { Button } from '../../ui/Button.tsx'
import { AccountHeading } from './AccountHeading.tsx'
import { NewPasswordFields } from './NewPasswordFields.tsx'
import { type NewPasswordErrors, newPasswordErrors } from './new-password.ts'

export function Component() {
  const token = useSearchParams()[0].get('token')
  const [value, setValue] = useState({ password: '', confirmation: '' })
  const [errors, setErrors] = useState<NewPasswordErrors>({})
  const reset = useMutation({
    mutationFn: () =>
      call('account.resetPassword', { body: { token: token ?? '', password: value.password } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = newPasswordErrors(value)
    setErrors(found)
    if (Object.keys(found).length === 0 && !reset.isPending) reset.mutate()
  }

  if (reset.isSuccess) {
    return (
      <>
        <AccountHeading title="Password changed">
          You were signed out everywhere. Sign in with your new password.
        </AccountHeading>
        <Button variant="primary" render={<Link to={paths.signIn} />}>
          Go to Sign In
        </Button>
      </>
    )
  }
  if (!token) {
    return (
      <>
        <AccountHeading title="Choose a new password" />
        <Banner tone="error">This link is incomplete: its token is missing. Request a new link.</Banner>
        <NewLink />
      </>
    )
  }
  return (
    <>
      <AccountHeading title="Choose a new password" />
      <form noValidate onSubmit={submit} className="space-y-4">
        {reset.isError && (
          <Banner tone="error">{errorText(reset.error, 'Failed to change the password.')}</Banner>
        )}
        <NewPasswordFields
          label="New password"
          value={value}
          errors={errors}
          onChange={(next) => {
            setValue(next)
            setErrors({})
          }}
        />
        <Button
          type="submit"
          variant="primary"
          size="lg"
          className="w-full"
          busy={reset.isPending}
          busyText="Saving..."
        >
          Change Password
        </Button>
      </form>
      {reset.isError && <NewLink />}
    </>
  )
}

function NewLink() {
  return (
    <p className="mt-6">
      <Link to={paths.forgotPassword} className="link">
        Send a new reset link
      </Link>
    </p>
  )
}
