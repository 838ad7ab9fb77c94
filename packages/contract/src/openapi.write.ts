/** Writes docs/openapi.json: `npm run openapi`. A test fails while the file is stale. */
import { writeFileSync } from 'node:fs'
import { readDescriptions } from './openapi.descriptions.ts'
import { openApiDocument } from './openapi.ts'

const file = new URL('../../../docs/openapi.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(openApiDocument(readDescriptions()), null, 2)}\n`)
