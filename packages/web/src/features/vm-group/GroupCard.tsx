import { Pencil, Server, Trash2 } from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import { Link } from 'react-router'
import { WhyText } from '../../shell/Why.tsx'
import { CardAction, CardFoot } from '../../ui/Card.tsx'
import { WorkTrack } from '../../ui/Progress.tsx'
import { Status } from '../../ui/Status.tsx'
import { TemplatePlate } from '../../ui/TemplatePlate.tsx'

interface GroupCardHeadProps {
  group: {
    name: string
    description: string
    status: string
    status_since: string
    template_id: string
    template_name: string
  }
  underWay: boolean
  titleId: string
  to: string
}

/** The upper part of the card of a pool or set: how it is, which it is, and what its VMs are made from. */
export function GroupCardHead({ group, underWay, titleId, to }: GroupCardHeadProps) {
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

interface WithReason {
  status: string
  status_message: string | null
  status_since: string
}

/** Why it waits or failed, as a row of the card; none for one that is well. */
export function whyRow({
  status,
  status_message: reason,
  status_since: since,
}: WithReason): { label: string; value: ReactNode; tone?: 'bad' | undefined }[] {
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
export function GroupCardOutline({
  group: { name, status },
  height,
}: {
  group: { name: string; status: string }
  height: number
}) {
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

interface GroupCardFootProps {
  name: string
  to: string
  editRef: Ref<HTMLButtonElement>
  onEdit: () => void
  onDelete: () => void
}

export function GroupCardFoot({ name, to, editRef, onEdit, onDelete }: GroupCardFootProps) {
  return (
    <CardFoot>
      <CardAction icon={<Server {...icon} />} render={<Link to={to} aria-label={`View VMs of ${name}`} />}>
        View VMs
      </CardAction>
      <CardAction ref={editRef} icon={<Pencil {...icon} />} aria-label={`Edit ${name}`} onClick={onEdit}>
        Edit
      </CardAction>
      <CardAction icon={<Trash2 {...icon} />} aria-label={`Delete ${name}`} onClick={onDelete}>
        Delete
      </CardAction>
    </CardFoot>
  )
}
