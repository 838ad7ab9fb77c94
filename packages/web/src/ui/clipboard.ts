/**
 * Copies a text and returns whether that worked. Browsers offer `navigator.clipboard` only on https and
 * localhost; elsewhere a hidden text field and the old copy command do it.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyByCommand(text)
  }
}

function copyByCommand(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.style.cssText = 'position:fixed;top:0;left:0;opacity:0'
  // Inside an open dialog: its focus trap would take the focus back from a field outside of it.
  ;(focused?.closest('[role="dialog"],[role="alertdialog"]') ?? document.body).append(field)
  field.select()
  try {
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    field.remove()
    if (focused instanceof HTMLElement) focused.focus()
  }
}
