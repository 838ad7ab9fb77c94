import type { RollOut } from '@slipway/contract'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { WhyNote } from '../../shell/WhyNote.tsx'

interface GroupNoteProps {
  group: {
    id: string
    project_id: string
    status: string
    status_message: string | null
    status_since: string
  }
  underWay: boolean
  /** `Scaling` */
  underWayWord: string
  /** What is under way, in a sentence, where the server does not say. */
  underWayText: string
  /** `The pool` */
  subject: string
  /** What its roll-out does, which the page tells more of below. */
  rollOut: RollOut['state']
}

/** Why a pool or set is in its state, since when, and what comes. Nothing for one that is well. */
export function GroupNote({ group, underWay, underWayWord, underWayText, subject, rollOut }: GroupNoteProps) {
  const { id, project_id, status, status_message: reason, status_since: since } = group
  const actions = (
    <span className="flex flex-wrap gap-x-3 text-dense">
      {rollOut !== 'none' && (
        <a href="#roll-out" className="link">
          Roll-out
        </a>
      )}
      <Link to={paths.activity(project_id, id)} className="link">
        What happened
      </Link>
    </span>
  )
  if (status.toLowerCase() === 'error') {
    const next = rollOut === 'paused' ? undefined : `${subject} recovers automatically once that is fixed.`
    return <WhyNote tone="failed" word="Error" {...{ reason, since, next, actions }} />
  }
  if (underWay) {
    return (
      <WhyNote tone="waiting" word={underWayWord} reason={reason ?? underWayText} {...{ since, actions }} />
    )
  }
  return reason ? <WhyNote tone="known" word="" {...{ reason, actions }} /> : null
}
