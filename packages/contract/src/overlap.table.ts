/** The table of changes that overlap, as docs/changes-that-overlap.md prints it. */
import {
  changesUnderWay,
  isRefusedByStatus,
  type LongChange,
  longChanges,
  overlapOf,
  shownDuring,
  type UnderWay,
} from './overlap.rules.ts'

const changes = Object.keys(longChanges) as LongChange[]
const rows = Object.keys(changesUnderWay) as UnderWay[]

/** Where the table stands in the page. */
export const tableMarks = {
  begin: '<!-- table: npm run overlaps -->',
  end: '<!-- end of the table -->',
} as const

/** A row for each change that is under way: which others wait for it, and which are refused, with the number of the sentence. */
export function overlapTable(): string {
  const sentences: string[] = []
  const numberOf = (why: string): number => {
    if (!sentences.includes(why)) sentences.push(why)
    return sentences.indexOf(why) + 1
  }
  const lines = rows.map((underWay) => {
    const waiting: string[] = []
    const byStatus: string[] = []
    const refused = new Map<number, string[]>()
    for (const requested of changes) {
      const overlap = overlapOf(underWay, requested)
      const name = longChanges[requested]
      if (isRefusedByStatus(underWay, requested)) {
        byStatus.push(name)
        continue
      }
      if (overlap.verdict === 'waits') waiting.push(name)
      if (overlap.verdict !== 'refused') continue
      const number = numberOf(overlap.why)
      refused.set(number, [...(refused.get(number) ?? []), name])
    }
    const whys = [...refused].map(([number, names]) => `${names.join(', ')} (${number})`)
    const shown = shownDuring[underWay] ?? []
    return `| ${[`**${changesUnderWay[underWay]}**`, shown.join(', '), waiting.join(', '), whys.join('; '), byStatus.join(', ')].join(' | ')} |`
  })
  return [
    '| Under way | The VM is | What waits for it | What is refused, with which sentence | What the status of the VM refuses |',
    '|---|---|---|---|---|',
    ...lines,
    '',
    ...sentences.map((sentence, index) => `${index + 1}. ${sentence}`),
  ].join('\n')
}

/** The page with the table of now. */
export function withTable(page: string): string {
  const [before = '', rest = ''] = page.split(tableMarks.begin)
  const after = rest.split(tableMarks.end)[1] ?? ''
  return `${before}${tableMarks.begin}\n\n${overlapTable()}\n\n${tableMarks.end}${after}`
}
