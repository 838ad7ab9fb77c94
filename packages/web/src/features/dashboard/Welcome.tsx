import type { ProjectEndpointId } from '@slipway/contract'
import { type LucideIcon, Plus } from 'lucide-react'
import { Link } from 'react-router'
import { useMay } from '../../api/access.ts'
import { paths } from '../../paths.ts'
import { objectIcons } from '../../shell/object-icons.ts'
import { Button } from '../../ui/Button.tsx'
import { reasonOf } from '../../ui/reason.ts'

/** What there is to create in a project without VMs. */
export function Welcome({ projectId }: { projectId: string }) {
  const may = useMay(projectId)
  const choice = (call: ProjectEndpointId, label: string, to: string) => ({
    label,
    to,
    disabledReason: reasonOf(may(call)),
  })
  return (
    <section aria-labelledby="welcome">
      <h2 id="welcome" className="mb-3 text-section">
        What do you want to run?
      </h2>
      <ul className="grid gap-3 md:grid-cols-[repeat(auto-fill,minmax(280px,1fr))] md:gap-4">
        <Choice
          icon={objectIcons.vm}
          title="Single VMs"
          text="One machine with root access over SSH, made from a template."
          create={choice('vm.create', 'Create VM', paths.create())}
          primary
        />
        <Choice
          icon={objectIcons.vm_pool}
          title="VM Pools"
          text="A group of equal VMs that grows and shrinks with its load."
          create={choice('vmPool.create', 'Create Pool', paths.vmPoolCreate(projectId))}
        />
        <Choice
          icon={objectIcons.vm_set}
          title="VM Sets"
          text="A fixed number of equal VMs, kept at that number."
          create={choice('vmSet.create', 'Create Set', paths.vmSetCreate(projectId))}
        />
      </ul>
    </section>
  )
}

interface ChoiceProps {
  icon: LucideIcon
  title: string
  text: string
  create: { label: string; to: string; disabledReason: string | undefined }
  primary?: boolean
}

function Choice({ icon: Icon, title, text, create, primary = false }: ChoiceProps) {
  return (
    <li className="sheet flex min-h-44 flex-col items-start px-5 py-4.5">
      <h3 className="flex items-center gap-2 text-card">
        <Icon size={16} strokeWidth={1.6} aria-hidden className="flex-none text-ink-2" />
        {title}
      </h3>
      <p className="mt-1 mb-4 text-ink-2">{text}</p>
      <Button
        variant={primary ? 'primary' : 'secondary'}
        icon={<Plus size={16} strokeWidth={1.6} aria-hidden />}
        disabledReason={create.disabledReason}
        render={<Link to={create.to} />}
        className="mt-auto"
      >
        {create.label}
      </Button>
    </li>
  )
}
