import { templateApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { TemplateService } from './template.service.ts'

export function templateRoutes(route: Route, templates: TemplateService): void {
  route(templateApi.list, () => templates.list())
  route(
    templateApi.create,
    ({ user, body }) => templates.create(user, body),
    () => templates.list(),
  )
  route(templateApi.listAll, ({ user }) => templates.listAll(user))
  route(templateApi.update, ({ user, params, body }) => templates.update(user, params.templateId, body))
  route(templateApi.retire, ({ user, params }) => templates.retire(user, params.templateId))
  route(templateApi.offer, ({ user, params }) => templates.offer(user, params.templateId))
  route(templateApi.delete, ({ user, params, query }) =>
    templates.delete(user, params.templateId, query.for_good === 'true'),
  )
  route(templateApi.startScript, ({ params }) => templates.startScript(params.templateId))
  route(templateApi.checkImage, ({ user, body }) => templates.checkImage(user, body.image_url))
  route(templateApi.prepare, ({ user, params }) => templates.prepare(user, params.templateId))
}
