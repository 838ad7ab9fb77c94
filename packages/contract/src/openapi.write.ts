/** Writes docs/openapi.json: `npm run openapi`. A test fails while the file is stale. */
import { writeFileSync } from 'node:fs'
import { endpoints } from './index.ts'
import { openApiDocument } from './openapi.ts'

const file = new URL('../../../docs/openapi.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(openApiDocument(endpoints), null, 2)}\n`)
