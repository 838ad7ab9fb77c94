import { useEffect } from 'react'
import { Link } from 'react-router'
import { useSshKeys } from '../../api/ssh-keys.ts'
import { paths } from '../../paths.ts'
import { CodeLine } from '../../ui/CodeLine.tsx'
import { Field } from '../../ui/Field.tsx'
import { Select } from '../../ui/Select.tsx'
import { keygenCopy } from './keygen.ts'

interface SshKeyFieldProps {
  /** An unknown one is no choice: the first key takes its place. */
  sshKeyId: string
  onChange: (sshKeyId: string) => void
  /** Before the user goes to the keys, so that what was typed can be kept. */
  onLeave: () => void
  hint: string
}

/** The choice of an SSH key in a create form, and the way to a first one. */
export function SshKeyField({ sshKeyId, onChange, onLeave, hint }: SshKeyFieldProps) {
  const { sshKeys } = useSshKeys()
  const known = sshKeys.some(({ id }) => id === sshKeyId)
  const firstId = sshKeys[0]?.id
  useEffect(() => {
    if (firstId && !known) onChange(firstId)
  }, [firstId, known, onChange])

  return (
    <>
      <Field
        label="SSH Key"
        aside={
          <Link to={paths.sshKeys} className="link" onClick={onLeave}>
            Manage SSH Keys
          </Link>
        }
        hint={hint}
      >
        <Select
          value={known ? sshKeyId : null}
          onValueChange={onChange}
          placeholder={sshKeys.length > 0 ? 'Choose an SSH key' : 'No SSH keys yet'}
          disabled={sshKeys.length === 0}
          options={sshKeys.map(({ id, name, fingerprint }) => ({
            value: id,
            label: name,
            description: fingerprint,
          }))}
        />
      </Field>
      <div className="min-w-0">
        <p className="mb-1.5 text-dense font-medium">No key yet?</p>
        <CodeLine {...keygenCopy} />
        <p className="mt-1.5 text-hint text-ink-3">
          Run this on your computer, then add the public key under Manage SSH Keys.
        </p>
      </div>
    </>
  )
}
