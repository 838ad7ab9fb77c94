import { Pencil, Trash2 } from 'lucide-react'
import { type ReactNode, type Ref, useId } from 'react'
import { Link } from 'react-router'
import { useMay } from '../../api/access.ts'
import { objectIcons } from '../../shell/object-icons.ts'
import { useOpenDialog } from '../../shell/use-dialog.ts'
import { WhyText } from '../../shell/Why.tsx'
import { formatDateTime } from '../../time.ts'
import { CardAction, CardFacts, CardFoot } from '../../ui/Card.tsx'
import { WorkTrack } from '../../ui/Progress.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { Rows } from '../../ui/Sheet.tsx'
import { Status } from '../../ui/Status.tsx'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'
import type { Group, GroupCalls, GroupKind } from './group-kind.ts'
import { useInlineEdit } from './use-inline-edit.ts'

interface GroupCardProps<G extends Group> {
  kind: GroupKind<G>
  group: G
  /** How many VMs there are and shall be. */
  size: ReactNode
  facts: Parameters<typeof CardFacts>[0]['items']
  /** What only its kind has, between why it waits and what both have. */
  rows?: readonly { label: string; value: ReactNode }[]
}

/** The card of a pool or set: how it is, its size, what its VMs are made of, and what can be done to it. */
export function GroupCard<G extends Group>({ kind, group, size, facts, rows = [] }: GroupCardProps<G>) {
  const titleId = useId()
  const { editing, trigger, open, close } = useInlineEdit()
  const openDialog = useOpenDialog()
  const path = kind.paths.one(group.project_id, group.id)
  return (
    <article aria-labelledby={titleId} className="sheet flex h-full flex-col">
      <Head group={group} underWay={kind.isUnderWay(group)} titleId={titleId} to={path} />
      {editing ? (
        <kind.EditForm group={group} onClose={close} />
      ) : (
        <>
          {size}
          <CardFacts items={facts} />
          <Rows
            className="flex-1"
            items={[
              ...whyRow(group),
              ...rows,
              { label: 'Persistent', value: group.persistent ? 'Yes' : 'No' },
              { label: 'SSH Key', value: <span className="mono min-w-0">{group.ssh_key_name}</span> },
              { label: 'Created', value: formatDateTime(group.created_at) },
            ]}
          />
          <Foot
            calls={kind.calls}
            name={group.name}
            to={path}
            editRef={trigger}
            onEdit={open}
            onDelete={() => openDialog(kind.deleteDialog, group.id)}
          />
        </>
      )}
    </article>
  )
}

interface HeadProps {
  group: Group
  underWay: boolean
  titleId: string
  to: string
}

/** How it is, which it is, and what its VMs are made from. */
function Head({ group, underWay, titleId, to }: HeadProps) {
  const { name, description, status, status_since, template_id, template_name } = group
  return (
    <>
      <div className="grid content-start gap-y-1 px-4 py-3">
        <Status word={status} since={underWay ? status_since : undefined} />
        <h2 id={titleId} className="text-card wrap-anywhere">
          <Link to={to} className="text-ink no-underline hover:underline" dir="auto">
            {name}
          </Link>
        </h2>
        {description && (
          <p className="line-clamp-2 text-dense wrap-anywhere text-ink-2" title={description}>
            <bdi>{description}</bdi>
          </p>
        )}
        <p className="flex items-start gap-[7px] text-hint text-ink-2">
          <TemplatePlate templateId={template_id} size={16} className="mt-px" />
          <span className="min-w-0 wrap-anywhere">{template_name}</span>
        </p>
      </div>
      {underWay && <WorkTrack label={`${name}: ${status}`} />}
    </>
  )
}

/** Why it waits or failed; no row for one that is well. */
function whyRow({
  status,
  status_message: reason,
  status_since: since,
}: Group): { label: string; value: ReactNode; tone?: 'bad' | undefined }[] {
  const bad = status.toLowerCase() === 'error'
  if (!bad && !reason) return []
  const value = bad ? (
    <WhyText tone="failed" {...{ reason, since }} />
  ) : (
    <WhyText tone="known" reason={reason} />
  )
  return [{ label: 'Why', value, tone: bad ? 'bad' : undefined }]
}

/** Stands for a card until it is drawn. */
export function GroupCardOutline({ group: { name, status }, height }: { group: Group; height: number }) {
  return (
    <article aria-label={name} className="sheet px-4 py-3" style={{ height }}>
      <Status word={status} />
      <p className="mt-1 truncate text-card" dir="auto">
        {name}
      </p>
    </article>
  )
}

const icon = { size: 16, strokeWidth: 1.6, 'aria-hidden': true } as const

interface FootProps {
  calls: GroupCalls
  name: string
  to: string
  editRef: Ref<HTMLButtonElement>
  onEdit: () => void
  onDelete: () => void
}

function Foot({ calls, name, to, editRef, onEdit, onDelete }: FootProps) {
  const may = useMay()
  return (
    <CardFoot>
      <CardAction
        icon={<objectIcons.vm {...icon} />}
        render={<Link to={to} aria-label={`View VMs of ${name}`} />}
      >
        View VMs
      </CardAction>
      <CardAction
        ref={editRef}
        disabledReason={reasonOf(may(calls.update))}
        icon={<Pencil {...icon} />}
        aria-label={`Edit ${name}`}
        onClick={onEdit}
      >
        Edit
      </CardAction>
      <CardAction
        disabledReason={reasonOf(may(calls.delete))}
        icon={<Trash2 {...icon} />}
        aria-label={`Delete ${name}`}
        onClick={onDelete}
      >
        Delete
      </CardAction>
    </CardFoot>
  )
}
