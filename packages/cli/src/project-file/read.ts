import { readFile } from 'node:fs/promises'
import { ProjectFile } from '@slipway/contract/project-file.ts'
import { type Document, LineCounter, parseDocument } from 'yaml'
import { Failure } from '../failure.ts'

/** Larger ones are no project files. */
const BYTES = 64 * 1024 ** 2

/** Reads a project file, `-` from standard input. Throws a {@link Failure} that names each wrong line and field. */
export async function readProjectFile(path: string): Promise<ProjectFile> {
  const text =
    path === '-' ? await textOf(process.stdin) : await readFile(path, 'utf8').catch(unreadable(path))
  return parseProjectFile(text, path === '-' ? 'standard input' : path)
}

async function textOf(stream: NodeJS.ReadStream): Promise<string> {
  let text = ''
  for await (const piece of stream.setEncoding('utf8')) {
    text += piece
    if (text.length > BYTES) throw new Failure('usage', 'Standard input is too long for a project file.')
  }
  return text
}

const unreadable = (path: string) => (error: NodeJS.ErrnoException) => {
  throw new Failure(
    'usage',
    error.code === 'ENOENT' ? `There is no file ${path}.` : `${path}: ${error.message}`,
  )
}

/** The project in a text; `name` is what errors call the text. */
export function parseProjectFile(text: string, name: string): ProjectFile {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => `${name}:${lines.linePos(offset).line}`
  if (document.errors.length > 0)
    throw new Failure(
      'usage',
      document.errors.map(({ pos, message }) => `${at(pos[0])}: ${message}`).join('\n'),
    )
  const { success, data, error } = ProjectFile.safeParse(contentOf(document, name))
  if (success) return data
  const wrong = error.issues.map(({ path, message }) => {
    const where = path.map(String)
    return `${at(placeOf(document, where))}: ${[where.join('.'), message].filter(Boolean).join(': ')}`
  })
  throw new Failure('usage', wrong.join('\n'))
}

/** Aliases are resolved here; a text that unfolds into more than it should is refused. */
function contentOf(document: Document, name: string): unknown {
  try {
    return document.toJS()
  } catch (error) {
    throw new Failure('usage', `${name}: ${error instanceof Error ? error.message : error}`)
  }
}

/** Where a field stands; where it is missing, what it should be in. */
function placeOf(document: Document, path: readonly string[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true)
    const range = Object(node).range as readonly number[] | undefined
    if (range) return range[0] ?? 0
  }
  return 0
}
