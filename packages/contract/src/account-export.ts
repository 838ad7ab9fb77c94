import { endpoint } from './endpoint.ts'
import { queueTexts } from './queue.rules.ts'

export const accountExportApi = {
  get: endpoint('accountExport.get', {
    summary:
      'All that is stored about the account, as one JSON document: profile, sessions, SSH keys, API tokens, projects and activity; no secrets',
    auth: 'session',
    status: 200,
    answers: 'document',
    errors: { 429: [queueTexts.exports] },
  }),
}
