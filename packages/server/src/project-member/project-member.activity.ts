/** What the activity log says of members. The project is what it is about, so that it stands in its log. */
import type { EndpointId } from '@slipway/contract'
import { type Entry, entry, wish } from '../activity/entry.ts'

export interface Of {
  project: { id: string; name: string }
  actorId: string
  at: number
}

export const memberEntry = ({ project, actorId, at }: Of, action: EndpointId, message: string): Entry =>
  entry(
    at,
    { type: 'project', id: project.id, name: project.name, projectId: project.id },
    wish(actorId, action, message),
  )
