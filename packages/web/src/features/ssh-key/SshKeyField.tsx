import type { SshKey } from '@slipway/contract'
import { Link } from 'react-router'
import { errorText } from '../../api/errors.ts'
import { useSshKeys } from '../../api/ssh-keys.ts'
import { paths } from '../../paths.ts'
import { CodeLine } from '../../ui/CodeLine.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { keygenCopy } from './keygen.ts'

interface SshKeyFieldProps {
  /** As `keyFor` has it: the default key is preselected. */
  sshKey: SshKey | undefined
  onChange: (sshKeyId: string) => void
  /** Before the user goes to the keys, so that what was typed can be kept. */
  onLeave: () => void
  hint: string
}

/** The choice of an SSH key in a create form, and the way to a first one. */
export function SshKeyField({ sshKey, onChange, onLeave, hint }: SshKeyFieldProps) {
  const { sshKeys, loading, error, retry } = useSshKeys()
  const none = !loading && !error && sshKeys.length === 0

  return (
    <>
      <Field
        label="SSH Key"
        aside={
          <span className="flex gap-3">
            {error && (
              <button type="button" className="link" onClick={retry}>
                Try Again
              </button>
            )}
            <Link to={paths.sshKeys} className="link" onClick={onLeave}>
              Manage SSH Keys
            </Link>
          </span>
        }
        hint={hint}
        error={error && !loading ? errorText(error, 'Failed to load SSH keys.') : undefined}
      >
        <Select
          value={sshKey?.id ?? null}
          onValueChange={onChange}
          placeholder={placeholderOf(none, loading)}
          disabled={sshKeys.length === 0}
          options={sshKeys.map(({ id, name, fingerprint }) => ({
            value: id,
            label: name,
            description: fingerprint,
          }))}
        />
      </Field>
      {none && (
        <div className="min-w-0">
          <p className="mb-1.5 text-dense font-medium">No key yet?</p>
          <CodeLine {...keygenCopy} />
          <p className="mt-1.5 text-hint text-ink-3">
            Run this command on your computer, then add the public key under Manage SSH Keys.
          </p>
        </div>
      )}
    </>
  )
}

function placeholderOf(none: boolean, loading: boolean): string {
  if (none) return 'No SSH keys yet'
  return loading ? 'Loading SSH keys...' : 'Choose an SSH key'
}
