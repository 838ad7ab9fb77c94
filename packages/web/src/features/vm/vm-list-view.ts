/** How the list of VMs is shown. */
type View = 'cards' | 'table'

const storageKey = 'slipway.vms.view'

/** The view that was chosen last in this browser. */
export function rememberedView(): View {
  try {
    return localStorage.getItem(storageKey) === 'table' ? 'table' : 'cards'
  } catch {
    return 'cards'
  }
}

export function rememberView(view: View): void {
  try {
    localStorage.setItem(storageKey, view)
  } catch {
    // A browser that keeps nothing shows cards next time.
  }
}
