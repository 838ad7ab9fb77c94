/** A line of `npm run doctor`. */
export interface Finding {
  state: 'good' | 'note' | 'bad'
  name: string
  text: string
  help?: string
}

export const good = (name: string, text: string): Finding => ({ state: 'good', name, text })
export const note = (name: string, text: string, help?: string): Finding => found('note', name, text, help)
export const bad = (name: string, text: string, help?: string): Finding => found('bad', name, text, help)
const found = (state: Finding['state'], name: string, text: string, help?: string): Finding => ({
  state,
  name,
  text,
  ...(help === undefined ? {} : { help }),
})
