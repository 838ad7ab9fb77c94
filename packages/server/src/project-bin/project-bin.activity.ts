/** What the activity log says of projects in the bin. */
import { notKeptText } from '@slipway/contract'
import { change, type Entry, entry, type Told, wish } from '../activity/entry.ts'

interface Subject {
  id: string
  name: string
  /** Its owner, in whose log it stands as well. */
  ownerId: string
}

const about = ({ id, name, ownerId }: Subject, nowMs: number, told: Told): Entry =>
  entry(nowMs, { type: 'project', id, name, projectId: id, accountId: ownerId }, told)

/** Somebody restored a project, perhaps under another name. */
export const restored = (project: Subject, nameNow: string, nowMs: number): Entry =>
  about(
    { ...project, name: nameNow },
    nowMs,
    wish(
      project.ownerId,
      'projectBin.restore',
      `Restored project ${project.name} from the bin`,
      project.name === nameNow ? null : `It is called ${nameNow} now: its name is taken.`,
    ),
  )

export const deletedForGood = (
  project: Subject,
  call: 'projectBin.delete' | 'projectBin.empty',
  nowMs: number,
): Entry =>
  about(
    project,
    nowMs,
    wish(project.ownerId, call, `Delete project ${project.name} in the bin for good requested`),
  )

/** Nobody asked for it: it is kept no more. */
export const notKept = (project: Subject & Parameters<typeof notKeptText>[0], nowMs: number): Entry =>
  about(
    project,
    nowMs,
    change('projectBin.over', `Project ${project.name} is being deleted for good`, notKeptText(project)),
  )
