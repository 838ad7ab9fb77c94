import { z } from 'zod'
import { projectRoles } from './access.rules.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ForGood } from './for-good.ts'
import { projectTexts } from './project.rules.ts'
import { description, Id, name, Time } from './text.ts'

export const RoleInProject = z.enum(projectRoles).meta({ id: 'ProjectRole' })

export const Project = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  created_at: Time,
  /** What the user is in it. */
  role: RoleInProject,
  /** Name of whose project it is. */
  owner_name: z.string(),
  /**
   * When it is deleted, because its owner is deleting their account; until then nothing runs or can be changed in it. Null:
   * it is not.
   */
  delete_at: Time.nullable(),
})
export type Project = z.infer<typeof Project>

export const ProjectCreate = z.object({
  name: name(projectTexts.nameMissing),
  description,
})
export type ProjectCreate = z.infer<typeof ProjectCreate>

/** How a project is deleted. */
export const ProjectDelete = ForGood.extend({
  /** Delete its VMs, VM pools and VM sets with it. Otherwise a project that has VMs is refused. */
  with_vms: z.enum(['true', 'false']).optional(),
})

/** Path parameters of everything inside a project. */
export const ProjectParams = z.object({ projectId: Id })

export const projectApi = {
  list: endpoint('project.list', {
    summary: 'The projects that the user is a member of, oldest first',
    auth: 'session',
    status: 200,
    response: z.array(Project),
  }),
  create: endpoint('project.create', {
    summary: 'Create a project',
    auth: 'session',
    status: 201,
    idempotent: true,
    body: ProjectCreate,
    response: Project,
    errors: { 400: [projectTexts.nameMissing] },
  }),
  delete: endpoint('project.delete', {
    summary: 'Delete a project: it goes to the bin with everything in it. One with VMs takes `with_vms`',
    auth: 'session',
    status: 204,
    params: ProjectParams,
    query: ProjectDelete,
    errors: {
      404: [messages.projectNotFound],
      409: [projectTexts.hasVms, projectTexts.hasProtectedVms, projectTexts.busy],
    },
  }),
}
