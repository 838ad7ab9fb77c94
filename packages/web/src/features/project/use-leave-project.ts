import { useLocation, useMatch, useNavigate } from 'react-router'
import { paths } from '../../paths.ts'
import { dialogIn, withDialog } from '../../shell/dialog-url.ts'

/**
 * Leaves the pages of a project for the dashboard: their URL would select that project again. With an id, only the
 * pages of that project are left. The dialog that did it stays open over the dashboard.
 */
export function useLeaveProject(): (projectId?: string) => void {
  const navigate = useNavigate()
  const shown = useMatch('/projects/:projectId/*')?.params.projectId
  const dialog = dialogIn(useLocation().search)
  return (projectId) => {
    if (!shown || (projectId && projectId !== shown)) return
    // In place of the page under the dialog: Back must not lead to a dialog that was closed.
    void navigate({ pathname: paths.home, search: withDialog('', dialog) }, { replace: dialog !== null })
  }
}
