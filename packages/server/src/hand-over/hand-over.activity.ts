/** What the activity log says of hand-overs. The project is what it is about, so that it stands in its log. */
import type { EndpointId } from '@slipway/contract'
import { type Entry, entry, wish } from '../activity/entry.ts'

interface Of {
  project: { id: string; name: string }
  actorId: string
  at: number
}

const about = ({ project, actorId, at }: Of, action: EndpointId, message: string): Entry =>
  entry(
    at,
    { type: 'project', id: project.id, name: project.name, projectId: project.id },
    wish(actorId, action, message),
  )

export const asked = (of: Of, to: string): Entry =>
  about(of, 'projectMember.handOver', `Asked ${to} to take over project ${of.project.name}`)

export const withdrawn = (of: Of, to: string): Entry =>
  about(of, 'handOver.withdraw', `Withdrew the hand-over of project ${of.project.name} to ${to}`)

export const accepted = (of: Of, from: string): Entry =>
  about(of, 'handOver.accept', `Took over project ${of.project.name} from ${from}`)

export const declined = (of: Of, from: string): Entry =>
  about(of, 'handOver.decline', `Declined to take over project ${of.project.name} from ${from}`)
