import { isEmail, type MemberRole, memberRoles, type ProjectMember, roleTexts } from '@slipway/contract'
import { useState } from 'react'
import { useMemberActs } from '../../api/members.ts'
import { useSelectedProject } from '../../api/projects.ts'
import { FormDialog } from '../../shell/FormDialog.tsx'
import { useDialogForm } from '../../shell/use-dialog-form.ts'
import { Field, TextInput } from '../../ui/Field.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { AsText } from '../as-text/AsText.tsx'

const options = memberRoles.map((value) => ({
  value,
  label: value.charAt(0).toUpperCase() + value.slice(1),
  description: roleTexts[value],
}))

function RoleField({ role, onChange }: { role: MemberRole; onChange: (role: MemberRole) => void }) {
  return (
    <RadioGroup
      label="Role"
      value={role}
      onValueChange={(value) => {
        const chosen = memberRoles.find((one) => one === value)
        if (chosen) onChange(chosen)
      }}
      options={options}
    />
  )
}

/** Invites somebody to a project by e-mail. */
export function InviteDialog({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const { invite } = useMemberActs(projectId)
  const { project } = useSelectedProject()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<MemberRole>('viewer')
  const { submit, dialog } = useDialogForm({
    dirty: email !== '',
    send: (body: { email: string; role: MemberRole }) => invite.mutateAsync(body),
    done: (sent) => `Invitation sent to ${sent.email}`,
    failed: 'Failed to send the invitation. Please try again.',
    onClose,
  })
  const broken = isEmail(email) ? undefined : 'Please enter an email address'
  return (
    <FormDialog
      call="projectMember.invite"
      {...dialog}
      title="Invite member"
      description="They get an email with a link, which works for 7 days."
      submit={{ label: 'Send Invitation', busyText: 'Sending...' }}
      onSubmit={() => submit({ email, role })}
      note={broken}
      asText={
        <AsText
          call="projectMember.invite"
          project={project}
          named={[]}
          body={() => ({ email, role })}
          missing={broken}
        />
      }
    >
      <Field label="Email address">
        <TextInput
          type="email"
          autoComplete="off"
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <RoleField role={role} onChange={setRole} />
    </FormDialog>
  )
}

interface RoleDialogProps {
  projectId: string
  member: ProjectMember
  onClose: () => void
}

/** Makes a member something else. */
export function RoleDialog({ projectId, member, onClose }: RoleDialogProps) {
  const { update } = useMemberActs(projectId)
  const [before] = useState<MemberRole>(member.role === 'operator' ? 'operator' : 'viewer')
  const [role, setRole] = useState(before)
  const { submit, dialog } = useDialogForm({
    dirty: role !== before,
    send: (next: MemberRole) => update.mutateAsync({ id: member.id, role: next }),
    done: (changed) => `${changed.name} is ${changed.role} now`,
    failed: 'Failed to change the role. Please try again.',
    onClose,
  })
  return (
    <FormDialog
      call="projectMember.update"
      {...dialog}
      title={`Change role of ${member.name}`}
      submit={{ label: 'Save', busyText: 'Saving...' }}
      onSubmit={() => submit(role)}
    >
      <RoleField role={role} onChange={setRole} />
    </FormDialog>
  )
}
