import { unlessLimited, type Vm } from '@slipway/contract'
import { useLimits } from '../../api/host.ts'
import { useSshKeys } from '../../api/ssh-keys.ts'
import { Field } from '../../ui/Field.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Select } from '../../ui/Select.tsx'

interface VmKeyFieldProps {
  vm: Vm
  sshKeyId: string
  onChange: (sshKeyId: string) => void
}

/** The choice of another SSH key for a VM that is there: its own, which may be that of somebody else, or one of yours. */
export function VmKeyField({ vm, sshKeyId, onChange }: VmKeyFieldProps) {
  const { sshKeys, loading, error } = useSshKeys()
  const limit = reasonOf(unlessLimited(useLimits().change_keys))
  const isMine = sshKeys.some(({ id }) => id === vm.ssh_key_id)
  const options = sshKeys.map(({ id, name, fingerprint }) => ({
    value: id,
    label: name,
    description: fingerprint,
  }))
  const notLoaded = error && !loading ? 'The SSH keys could not be loaded.' : undefined
  return (
    <Field
      label="SSH Key"
      hint={
        limit ??
        notLoaded ??
        'The guest agent of a running VM installs the key at once, and removes the one from before. Other keys in the VM stay.'
      }
    >
      <Select
        value={sshKeyId}
        onValueChange={onChange}
        disabled={limit !== undefined}
        options={
          isMine
            ? options
            : [{ value: vm.ssh_key_id, label: vm.ssh_key_name, description: 'The key it has' }, ...options]
        }
      />
    </Field>
  )
}
